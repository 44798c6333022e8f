import type { AuditEntry } from "@florin/contract/audit.ts";
import { ScrollText } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { ListPage } from "../../api/use-list.ts";
import { Badge } from "../../components/badge.tsx";
import { DayAndTime } from "../../components/date-time.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { NoValue } from "../../components/no-value.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, ListTable } from "../../components/table.tsx";
import { WrappingIdentifier } from "../../components/wrapping-identifier.tsx";
import { EntryDialog } from "./entry-dialog.tsx";

/** The badges of actor types. Team members have no badge, and the service is shown as "System". */
const actorKinds: Partial<Record<AuditEntry["actor"]["type"], string>> = {
  api_key: "API key",
  operator: "Operator",
};

type Props = {
  readonly list: ListPage<AuditEntry>;
  /** The text that is shown when there are no entries. */
  readonly empty: ReactNode;
  /** True for the log of the whole service, whose actors are operators or the system. */
  readonly serviceWide?: boolean;
};

/** The entries of an audit log. Selecting an entry opens a dialog with its details. */
export function AuditEntries({ list, empty, serviceWide = false }: Props) {
  const [shown, setShown] = useState<AuditEntry | null>(null);
  const columns: readonly Column<AuditEntry>[] = [
    { title: "Time", cell: ({ created }) => <DayAndTime at={created} /> },
    {
      title: "Actor",
      cell: ({ actor }) => (
        <span className="block min-w-24 wrap-anywhere">
          <WrappingIdentifier text={actor.name ?? "System"} />{" "}
          {!serviceWide && actorKinds[actor.type] && <Badge>{actorKinds[actor.type]}</Badge>}
        </span>
      ),
    },
    {
      title: "Action",
      cell: (entry) => (
        // A grid, so that the baseline of the row is the first line of a text that wraps.
        <button
          type="button"
          className="link inline-grid text-left"
          onClick={() => setShown(entry)}
        >
          {entry.summary}
        </button>
      ),
    },
    {
      title: "IP address",
      from: "lg",
      below: ({ ip }) => ip,
      cell: ({ ip }) => <span className="break-all text-ink-soft">{ip ?? <NoValue />}</span>,
    },
  ];
  return (
    <>
      <Panel flush>
        <ListTable
          label="Audit log"
          list={list}
          columns={columns}
          empty={
            <EmptyState icon={ScrollText} title="No entries">
              {empty}
            </EmptyState>
          }
        />
      </Panel>
      <EntryDialog entry={shown} onClose={() => setShown(null)} serviceWide={serviceWide} />
    </>
  );
}
