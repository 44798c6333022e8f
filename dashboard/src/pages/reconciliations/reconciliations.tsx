import type { Reconciliation, ReconciliationDifference } from "@florin/contract/reconciliation.ts";
import { FileCheck2 } from "lucide-react";
import { useState } from "react";
import type { ListOf } from "../../api/api.ts";
import { useMay } from "../../api/signed-in-person.ts";
import { useList } from "../../api/use-list.ts";
import { useObject } from "../../api/use-object.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { Button } from "../../components/button.tsx";
import { DayAndTime } from "../../components/date-time.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { choiceFilter, queryOf } from "../../components/filter.ts";
import { Filters } from "../../components/filters.tsx";
import { formatDate } from "../../components/format-date.ts";
import { Money } from "../../components/money.tsx";
import { NoValue } from "../../components/no-value.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, ListTable } from "../../components/table.tsx";
import { Differences } from "./differences.tsx";
import { ReconcileDialog } from "./reconcile-dialog.tsx";
import { DayStatus } from "./reconciliation-status.tsx";

const filters = [
  choiceFilter(
    "status",
    "Status",
    [
      ["balanced", "Balanced"],
      ["in_transit", "In transit"],
      ["differences", "Differences"],
      ["file_missing", "File missing"],
      ["file_unreadable", "File unreadable"],
    ],
    { single: true },
  ),
];

const columns: readonly Column<Reconciliation>[] = [
  {
    title: "Date",
    cell: ({ day }) => <span className="font-medium whitespace-nowrap">{formatDate(day)}</span>,
  },
  { title: "Status", cell: ({ status }) => <DayStatus status={status} /> },
  {
    title: "Differences",
    from: "md",
    cell: ({ open_differences: open, in_transit_differences: inTransit }) => (
      <span className="text-ink-soft">
        {open + inTransit === 0 ? "None" : `${open} open, ${inTransit} in transit`}
      </span>
    ),
  },
  {
    title: "Net settlement",
    from: "sm",
    below: "cell",
    align: "end",
    cell: ({ settled }) => <Settled settled={settled} />,
  },
  {
    title: "Reconciled",
    from: "lg",
    align: "end",
    cell: ({ checked_at }) => <DayAndTime at={checked_at} />,
  },
];

/** The daily comparisons with the acquirer's settlement files. */
export function ReconciliationsPage() {
  const [values] = useUrlQuery();
  const query = queryOf(filters, values);
  const list = useList<Reconciliation>("/reconciliations", query);
  const open = useObject<ListOf<ReconciliationDifference>>("/reconciliation_differences", {
    status: "open",
    limit: 20,
  }).data;
  const [dialogOpen, setDialogOpen] = useState(false);
  const may = useMay();
  const action = may("payouts:write") && (
    <Button onClick={() => setDialogOpen(true)}>Reconcile day</Button>
  );
  return (
    <Page
      title="Reconciliation"
      lead="Each day, the acquirer’s settlement file is compared with your payments, ledger entries and events. Differences stay here until they are resolved."
      actions={action}
    >
      {open && open.data.length > 0 && (
        <Panel
          flush
          title="Open differences"
          lead={open.has_more ? "Latest 20" : String(open.data.length)}
        >
          <Differences list={open.data} />
        </Panel>
      )}
      <Filters filters={filters} />
      <Panel flush>
        <ListTable
          label="Reconciliations"
          list={list}
          columns={columns}
          to={({ id }) => `/reconciliations/${id}`}
          empty={
            <EmptyState icon={FileCheck2} title="No reconciliations yet" action={action}>
              Each day is reconciled automatically after it ends (UTC).
            </EmptyState>
          }
        />
      </Panel>
      {dialogOpen && <ReconcileDialog onClose={() => setDialogOpen(false)} />}
    </Page>
  );
}

/** The acquirer's net settlement of the day in each currency. */
function Settled({ settled }: { settled: Reconciliation["settled"] }) {
  if (settled.length === 0) return <NoValue />;
  return (
    <span className="grid">
      {settled.map(({ currency, net }) => (
        <Money key={currency} amount={net} currency={currency} named />
      ))}
    </span>
  );
}
