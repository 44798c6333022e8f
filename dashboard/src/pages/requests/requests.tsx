import type { LoggedRequest } from "@florin/contract/request-log.ts";
import { Terminal } from "lucide-react";
import { useList } from "../../api/use-list.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { DayAndTime, logTimeTitle } from "../../components/date-time.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { choiceFilter, daysFilter, queryOf, textFilter } from "../../components/filter.ts";
import { Filters } from "../../components/filters.tsx";
import { GivenText } from "../../components/given-text.tsx";
import { formatCount } from "../../components/numbers.ts";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, ListTable } from "../../components/table.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { RequestErrors } from "./request-errors.tsx";
import { RequestLine } from "./request-line.tsx";
import { ResponseStatus } from "./response-status.tsx";

const filters = [
  choiceFilter(
    "status",
    "Status",
    [
      ["succeeded", "Succeeded"],
      ["failed", "Failed"],
      ["4xx", "Client error (4xx)"],
      ["5xx", "Server error (5xx)"],
    ],
    { single: true },
  ),
  daysFilter("created", "Date"),
  textFilter(
    "object_id",
    "Object",
    "The ID of a payment (ch_…), session (cs_…), refund (re_…) or customer (cus_…).",
  ),
  choiceFilter(
    "method",
    "Method",
    [
      ["POST", "POST"],
      ["GET", "GET"],
      ["DELETE", "DELETE"],
    ],
    { single: true },
  ),
  textFilter("path", "Path", "A prefix, such as /api/v1/charges."),
  textFilter("endpoint", "Endpoint", "As in the API reference, such as POST /charges."),
  textFilter("error_code", "Error code"),
  textFilter("actor_id", "Actor", "The ID of an API key (key_…) or a person (per_…)."),
];

const columns: readonly Column<LoggedRequest>[] = [
  {
    title: "Request",
    cell: (request) => <RequestLine {...request} />,
  },
  { title: "Response", cell: (request) => <ResponseStatus {...request} /> },
  {
    title: "Actor",
    from: "md",
    cell: ({ actor }) => (
      <span className="line-clamp-1 max-w-56 break-all text-ink-soft">
        <GivenText text={actor.name} title={actor.name} />
      </span>
    ),
  },
  {
    title: "Duration",
    from: "lg",
    align: "end",
    cell: ({ duration_ms }) => <span className="whitespace-nowrap">{duration_ms} ms</span>,
  },
  {
    title: logTimeTitle("Time"),
    align: "end",
    cell: ({ created }) => <DayAndTime at={created} seconds />,
  },
];

/** The requests of the last 30 days. One tab lists all requests, and another groups failed requests by error. */
export function RequestsPage() {
  const [{ tab = "all" }, change] = useUrlQuery();
  return (
    <Page
      title="Requests"
      lead="API requests of the last 30 days, from your servers and from the dashboard. Card data and secrets are never stored."
    >
      <Tabs
        label="Requests"
        open={tab}
        onOpen={(key) => change({ tab: key === "all" ? undefined : key })}
        tabs={[
          { key: "all", label: "All requests", content: <AllRequests /> },
          { key: "errors", label: "Errors", content: <RequestErrors /> },
        ]}
      />
    </Page>
  );
}

function AllRequests() {
  const [values] = useUrlQuery();
  const query = queryOf(filters, values);
  const list = useList<LoggedRequest>("/request_logs", query);
  const leftOut = list.rows.reduce((sum, { left_out }) => sum + left_out, 0);
  return (
    <div className="grid grid-cols-1 gap-4">
      <Filters filters={filters} />
      <Panel flush>
        <ListTable
          label="Requests"
          list={list}
          columns={columns}
          to={({ id }) => `/requests/${id}`}
          empty={
            <EmptyState icon={Terminal} title="No requests">
              {Object.keys(query).length > 0
                ? "No requests match these filters."
                : "API requests appear here within a few seconds."}
            </EmptyState>
          }
        />
      </Panel>
      {leftOut > 0 && (
        <p className="text-sm text-ink-soft">
          {formatCount(leftOut)} more requests were made, but not stored. Under load, Florin stores
          only errors and a sample of the other requests.
        </p>
      )}
    </div>
  );
}
