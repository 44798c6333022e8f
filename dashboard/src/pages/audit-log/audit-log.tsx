import type { AuditEntry } from "@florin/contract/audit.ts";
import { auditActions } from "@florin/contract/audit-actions.ts";
import { ScrollText } from "lucide-react";
import { useState } from "react";
import { useAddressQuery } from "../../api/use-address-query.ts";
import { useList } from "../../api/use-list.ts";
import { Badge } from "../../components/badge.tsx";
import { DayAndTime } from "../../components/date-time.tsx";
import { Empty } from "../../components/empty.tsx";
import { choiceFilter, daysFilter, queryOf, textFilter } from "../../components/filter.ts";
import { Filters } from "../../components/filters.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, ListTable } from "../../components/table.tsx";
import { EntryDialog } from "./entry-dialog.tsx";

const filters = [
  choiceFilter("action", "Action", Object.entries(auditActions), { single: true }),
  daysFilter("created", "Date"),
  textFilter("actor_id", "Actor", "The ID of a person or an API key: per_… or key_…"),
  textFilter("object_id", "Object", "The ID of the changed object."),
];

/** Team members need no badge, and the service is shown by its own name. */
const actorKinds: Partial<Record<AuditEntry["actor"]["type"], string>> = {
  api_key: "API key",
  operator: "Operator",
};

/** The audit log of the account. Entries are append-only. */
export function AuditLogPage() {
  const [values] = useAddressQuery();
  const [shown, setShown] = useState<AuditEntry | null>(null);
  const query = queryOf(filters, values);
  const list = useList<AuditEntry>("/audit_log", query);
  const columns: readonly Column<AuditEntry>[] = [
    { title: "Time", cell: ({ created }) => <DayAndTime at={created} /> },
    {
      title: "Actor",
      cell: ({ actor }) => (
        <span className="wrap-anywhere">
          {actor.name ?? "System"}
          {actorKinds[actor.type] && (
            <span className="ml-1.5">
              <Badge>{actorKinds[actor.type]}</Badge>
            </span>
          )}
        </span>
      ),
    },
    {
      title: "Action",
      cell: (entry) => (
        <button type="button" className="link text-left" onClick={() => setShown(entry)}>
          {entry.summary}
        </button>
      ),
    },
    {
      title: "IP address",
      from: "lg",
      cell: ({ ip }) => <span className="text-ink-soft">{ip ?? "—"}</span>,
    },
  ];
  return (
    <Page
      title="Audit log"
      lead="Manual actions and changes to the account. Entries are append-only, and each contains the hash of the previous one."
    >
      <Filters filters={filters} />
      <Panel flush>
        <ListTable
          label="Audit log"
          list={list}
          columns={columns}
          empty={
            <Empty icon={ScrollText} title="No entries">
              {Object.keys(query).length > 0
                ? "No entry matches these filters."
                : "Changes to API keys, team members and webhooks, and manual payouts and refunds appear here."}
            </Empty>
          }
        />
      </Panel>
      <EntryDialog entry={shown} onClose={() => setShown(null)} />
    </Page>
  );
}
