import type { RequestErrorGroup } from "@florin/contract/request-log.ts";
import { CircleCheck } from "lucide-react";
import type { ListOf } from "../../api/api.ts";
import { useObject } from "../../api/use-object.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { Ago } from "../../components/date-time.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { choiceFilter, queryOf } from "../../components/filter.ts";
import { Filters } from "../../components/filters.tsx";
import { PageLink } from "../../components/link.tsx";
import { formatCount } from "../../components/numbers.ts";
import { Panel } from "../../components/panel.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { IdentifierCode } from "../../components/wrapping-identifier.tsx";
import { ResponseStatus } from "./response-status.tsx";

const filters = [
  choiceFilter(
    "hours",
    "Period",
    [
      ["1", "Last hour"],
      ["24", "Last 24 hours"],
      ["168", "Last 7 days"],
      ["720", "Last 30 days"],
    ],
    { single: true },
  ),
];

const columns: readonly Column<RequestErrorGroup>[] = [
  {
    title: "Endpoint",
    cell: ({ last_request_id, endpoint }) => (
      <PageLink to={`/requests/${last_request_id}`}>
        <IdentifierCode text={endpoint} />
      </PageLink>
    ),
  },
  { title: "Error", cell: (group) => <ResponseStatus {...group} /> },
  {
    title: "Count",
    align: "end",
    cell: ({ count, endpoint, error_code }) => (
      <PageLink to={`/requests?${new URLSearchParams({ endpoint, error_code })}`}>
        {formatCount(count)}
      </PageLink>
    ),
  },
  {
    title: "First seen",
    from: "md",
    align: "end",
    cell: ({ first_seen }) => <Ago at={first_seen} />,
  },
  { title: "Last seen", from: "sm", align: "end", cell: ({ last_seen }) => <Ago at={last_seen} /> },
];

/**
 * Failed requests, grouped by endpoint and error code. Each group links to its newest request and to the list of its
 * requests.
 */
export function RequestErrors() {
  const [values] = useUrlQuery();
  const { data, isPending, error } = useObject<ListOf<RequestErrorGroup>>(
    "/request_errors",
    queryOf(filters, values),
  );
  return (
    <div className="grid grid-cols-1 gap-4">
      <Filters filters={filters} />
      <Panel flush>
        <Table
          label="Errors"
          columns={columns}
          rows={data?.data ?? []}
          keyOf={({ endpoint, error_code }) => `${endpoint} ${error_code}`}
          pending={isPending}
          problem={error}
          empty={
            <EmptyState icon={CircleCheck} title="No errors">
              No request failed in this period.
            </EmptyState>
          }
        />
      </Panel>
    </div>
  );
}
