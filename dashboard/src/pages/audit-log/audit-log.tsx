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
  textFilter("actor_id", "Who", "The id of a person or a key: per_… or key_…"),
  textFilter("object_id", "What", "The id of what it was done to."),
];

/** Team members need no badge, and the service is shown by its own name. */
const actorKinds: Partial<Record<AuditEntry["actor"]["type"], string>> = {
  api_key: "Key",
  operator: "Operator",
};

/** The audit log of the account. Entries are append-only. */
export function AuditLogPage() {
  const [values] = useAddressQuery();
  const [shown, setShown] = useState<AuditEntry | null>(null);
  const list = useList<AuditEntry>("/audit_log", queryOf(filters, values));
  const columns: readonly Column<AuditEntry>[] = [
    { title: "When", cell: ({ created }) => <DayAndTime at={created} /> },
    {
      title: "Who",
      cell: ({ actor }) => (
        <span className="wrap-anywhere">
          {actor.name ?? "The service"}
          {actorKinds[actor.type] && (
            <span className="ml-1.5">
              <Badge>{actorKinds[actor.type]}</Badge>
            </span>
          )}
        </span>
      ),
    },
    {
      title: "What",
      cell: (entry) => (
        <button type="button" className="link text-left" onClick={() => setShown(entry)}>
          {entry.summary}
        </button>
      ),
    },
    {
      title: "From",
      from: "lg",
      cell: ({ ip }) => <span className="text-ink-soft">{ip ?? "—"}</span>,
    },
  ];
  return (
    <Page
      title="Audit log"
      lead="What was done by hand or to the account itself. Entries are only ever added, and each is bound to the one before."
    >
      <Filters filters={filters} />
      <Panel flush>
        <ListTable
          label="Audit log"
          list={list}
          columns={columns}
          empty={
            <Empty icon={ScrollText} title="Nothing here">
              Keys, members, webhooks, payouts and refunds by hand leave an entry when somebody
              changes them.
            </Empty>
          }
        />
      </Panel>
      <EntryDialog entry={shown} onClose={() => setShown(null)} />
    </Page>
  );
}
