import type { AuditEntry } from "@florin/contract/audit.ts";
import { serviceAuditActions } from "@florin/contract/audit-actions.ts";
import { Download, ScrollText } from "lucide-react";
import { useState } from "react";
import { adminPath, useAdminList } from "../../api/admin.ts";
import { useAddressQuery } from "../../api/use-address-query.ts";
import { DayAndTime } from "../../components/date-time.tsx";
import { Empty } from "../../components/empty.tsx";
import { choiceFilter, daysFilter, queryOf, textFilter } from "../../components/filter.ts";
import { Filters } from "../../components/filters.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, ListTable } from "../../components/table.tsx";
import { EntryDialog } from "../audit-log/entry-dialog.tsx";

const filters = [
  choiceFilter("action", "Action", Object.entries(serviceAuditActions), { single: true }),
  daysFilter("created", "Date"),
  textFilter("actor_id", "Person", "The ID of a person: per_…"),
  textFilter("object_id", "Object", "The ID of the object that was changed or read."),
];

/** The service-wide audit log, with entries that concern no account or several. */
export function ServiceAuditPage() {
  const [values] = useAddressQuery();
  const [shown, setShown] = useState<AuditEntry | null>(null);
  const query = queryOf(filters, values);
  const list = useAdminList<AuditEntry>("/audit", query);
  const columns: readonly Column<AuditEntry>[] = [
    { title: "Time", cell: ({ created }) => <DayAndTime at={created} /> },
    {
      title: "Actor",
      cell: ({ actor }) => <span className="wrap-anywhere">{actor.name ?? "System"}</span>,
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
      cell: ({ ip }) => <span className="break-all text-ink-soft">{ip ?? "—"}</span>,
    },
  ];
  return (
    <Page
      title="Audit log"
      lead="Sign-ins, credentials, operators, keys and backups. Changes to an account are in that account's own log."
      actions={
        <a
          className="link inline-flex items-center gap-2"
          href={adminPath("/audit.csv", query)}
          download
        >
          <Download aria-hidden="true" className="size-3.5 shrink-0" />
          Download CSV
        </a>
      }
    >
      <Filters filters={filters} />
      <Panel flush>
        <ListTable
          label="Audit log"
          list={list}
          columns={columns}
          empty={
            <Empty icon={ScrollText} title="No entries">
              No entry matches these filters.
            </Empty>
          }
        />
      </Panel>
      <EntryDialog entry={shown} onClose={() => setShown(null)} serviceWide />
    </Page>
  );
}
