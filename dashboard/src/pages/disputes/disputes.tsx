import type { Dispute } from "@florin/contract/dispute.ts";
import { Scale, SearchX } from "lucide-react";
import { useList } from "../../api/use-list.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { amountColumn } from "../../components/amount-column.tsx";
import { inWords, Status } from "../../components/badge.tsx";
import { DayAndTime } from "../../components/date-time.tsx";
import { Download } from "../../components/download-csv.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { queryOf, statusFilter } from "../../components/filter.ts";
import { Filters } from "../../components/filters.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, ListTable } from "../../components/table.tsx";
import { Deadline } from "./deadline.tsx";

const filters = [statusFilter(["needs_response", "under_review", "won", "lost"])];

const columns: readonly Column<Dispute>[] = [
  amountColumn,
  { title: "Status", cell: ({ status }) => <Status status={status} /> },
  {
    title: "Reason",
    from: "md",
    cell: ({ reason, is_inquiry }) => (
      <span className="text-ink-soft">
        {inWords(reason)}
        {is_inquiry && " (inquiry)"}
      </span>
    ),
  },
  { title: "Respond by", cell: (dispute) => <Deadline dispute={dispute} /> },
  {
    title: "Opened",
    from: "lg",
    align: "end",
    cell: ({ created }) => <DayAndTime at={created} />,
  },
];

export function DisputesPage() {
  const [values] = useUrlQuery();
  const query = queryOf(filters, values);
  const list = useList<Dispute>("/disputes", query);
  return (
    <Page
      title="Disputes"
      lead="Payments that cardholders disputed with their bank. Submit evidence before the deadline. The card network then decides."
      actions={<Download path="/disputes.csv" query={query} name="disputes" />}
    >
      <Filters filters={filters} />
      <Panel flush>
        <ListTable
          label="Disputes"
          list={list}
          columns={columns}
          to={({ id }) => `/disputes/${id}`}
          empty={
            query.status ? (
              <EmptyState icon={SearchX} title="No matching disputes">
                Remove the filter to see all disputes.
              </EmptyState>
            ) : (
              <EmptyState icon={Scale} title="No disputes">
                Disputed payments appear here with the deadline for your response. In test mode, pay
                with 4000 0000 0000 0259 to create a dispute.
              </EmptyState>
            )
          }
        />
      </Panel>
    </Page>
  );
}
