import type { Dispute } from "@florin/contract/dispute.ts";
import { Scale, SearchX } from "lucide-react";
import type { ReactNode } from "react";
import type { ListOf, Query } from "../../api/api.ts";
import { useList } from "../../api/use-list.ts";
import { useObject } from "../../api/use-object.ts";
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
import { type Column, ListTable, Table } from "../../components/table.tsx";
import { Deadline } from "./deadline.tsx";

const filters = [statusFilter(["needs_response", "under_review", "won", "lost"])];

const statusColumn: Column<Dispute> = {
  title: "Status",
  cell: ({ status }) => <Status status={status} />,
};
const deadlineColumn: Column<Dispute> = {
  title: "Respond by",
  cell: (dispute) => <Deadline dispute={dispute} />,
};

const columns: readonly Column<Dispute>[] = [
  amountColumn,
  statusColumn,
  {
    title: "Reason",
    from: "md",
    below: "cell",
    cell: ({ reason, is_inquiry }) => (
      <span className="text-ink-soft">
        {inWords(reason)}
        {is_inquiry && " (inquiry)"}
      </span>
    ),
  },
  deadlineColumn,
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
  return (
    <Page
      title="Disputes"
      lead="Payments that cardholders disputed with their bank. Submit evidence before the deadline. The card network then decides."
      actions={<Download path="/disputes.csv" query={query} name="disputes" />}
    >
      <Filters filters={filters} />
      {query.status ? (
        <Panel flush>
          <DisputeList
            query={query.status === "needs_response" ? { order_by: "evidence_due_by" } : query}
            empty={
              <EmptyState icon={SearchX} title="No matching disputes">
                Remove the filter to see all disputes.
              </EmptyState>
            }
          />
        </Panel>
      ) : (
        <AllDisputes />
      )}
    </Page>
  );
}

/** Two lists: the disputes that need a response, the earliest deadline first, and below them all other disputes. */
function AllDisputes() {
  const { data, error } = useObject<ListOf<Dispute>>("/disputes", {
    order_by: "evidence_due_by",
    limit: 100,
  });
  const due = data?.data ?? [];
  return (
    <>
      {(due.length > 0 || error) && (
        <Panel title="Needs response" lead="Earliest deadline first" flush>
          <Table
            label="Disputes that need a response"
            columns={columns.filter((column) => column !== statusColumn)}
            rows={due}
            keyOf={({ id }) => id}
            to={({ id }) => `/disputes/${id}`}
            problem={error}
            empty={null}
          />
        </Panel>
      )}
      <Panel {...(due.length > 0 && { title: "Under review and closed" })} flush>
        <DisputeList
          query={{ status: "under_review,won,lost" }}
          columns={columns.filter((column) => column !== deadlineColumn)}
          empty={
            due.length > 0 ? (
              <p className="p-4 text-ink-soft sm:p-5">No disputes are under review or closed.</p>
            ) : (
              <EmptyState icon={Scale} title="No disputes">
                Disputed payments appear here with the deadline for your response. In test mode, pay
                with 4000 0000 0000 0259 to create a dispute.
              </EmptyState>
            )
          }
        />
      </Panel>
    </>
  );
}

function DisputeList({
  query,
  columns: shown = columns,
  empty,
}: {
  query: Query;
  columns?: readonly Column<Dispute>[];
  empty: ReactNode;
}) {
  return (
    <ListTable
      label="Disputes"
      list={useList<Dispute>("/disputes", query)}
      columns={shown}
      to={({ id }) => `/disputes/${id}`}
      empty={empty}
    />
  );
}
