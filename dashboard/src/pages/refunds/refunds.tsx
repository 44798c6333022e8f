import type { Refund } from "@florin/contract/refund.ts";
import { SearchX, Undo2 } from "lucide-react";
import { useList } from "../../api/use-list.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { amountColumn } from "../../components/amount-column.tsx";
import { inWords, Status } from "../../components/badge.tsx";
import { DayAndTime } from "../../components/date-time.tsx";
import { Download } from "../../components/download-csv.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { queryOf, statusFilter } from "../../components/filter.ts";
import { Filters } from "../../components/filters.tsx";
import { Id } from "../../components/id.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { NoValue } from "../../components/no-value.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, ListTable } from "../../components/table.tsx";

const filters = [statusFilter(["pending", "succeeded", "failed"])];

const columns: readonly Column<Refund>[] = [
  amountColumn,
  { title: "Status", cell: ({ status }) => <Status status={status} /> },
  {
    title: "Payment",
    from: "sm",
    below: "cell",
    // Positioned above the row's link, which covers the whole row, so that the payment's link can be clicked.
    cell: ({ charge_id }) => (
      <span className="relative">
        <Id id={charge_id} to={`/payments/${charge_id}`} brief />
      </span>
    ),
  },
  {
    title: "Reason",
    from: "md",
    cell: ({ reason, failure_reason }) => {
      const shown = failure_reason ?? reason;
      return <span className="text-ink-soft">{shown ? inWords(shown) : <NoValue />}</span>;
    },
  },
  { title: "Created", align: "end", cell: ({ created }) => <DayAndTime at={created} /> },
];

export function RefundsPage() {
  const [values] = useUrlQuery();
  const query = queryOf(filters, values);
  const list = useList<Refund>("/refunds", query);
  return (
    <Page
      title="Refunds"
      lead="Refunds to cards, completed and pending."
      actions={<Download path="/refunds.csv" query={query} name="refunds" />}
    >
      <Filters filters={filters} />
      <Panel flush>
        <ListTable
          label="Refunds"
          list={list}
          columns={columns}
          to={({ id }) => `/refunds/${id}`}
          empty={
            query.status ? (
              <EmptyState icon={SearchX} title="No matching refunds">
                Remove the filter to see all refunds.
              </EmptyState>
            ) : (
              <EmptyState
                icon={Undo2}
                title="No refunds yet"
                action={<ButtonLink to="/payments?status=succeeded">View payments</ButtonLink>}
              >
                To create a refund, open a captured payment and select Refund. You can refund the
                full amount or part of it.
              </EmptyState>
            )
          }
        />
      </Panel>
    </Page>
  );
}
