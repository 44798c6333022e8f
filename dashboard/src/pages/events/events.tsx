import type { Event } from "@florin/contract/event.ts";
import { Radio } from "lucide-react";
import { useList } from "../../api/use-list.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { DayAndTime, logTimeTitle } from "../../components/date-time.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { daysFilter, queryOf, textFilter } from "../../components/filter.ts";
import { Filters } from "../../components/filters.tsx";
import { briefId } from "../../components/id.tsx";
import { NoValue } from "../../components/no-value.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, ListTable } from "../../components/table.tsx";
import { IdentifierCode, WrappingIdentifier } from "../../components/wrapping-identifier.tsx";

const filters = [
  textFilter("type", "Type", "For example, payment.succeeded, payment_failed or refund.succeeded."),
  daysFilter("created", "Date"),
];

const columns: readonly Column<Event>[] = [
  {
    title: "Type",
    cell: ({ type }) => <IdentifierCode text={type} />,
  },
  {
    title: "Object",
    from: "sm",
    below: "cell",
    cell: ({ data }) => {
      const { id } = data.object as { id?: string };
      return (
        <code className="font-mono text-xs text-ink-soft">
          {id ? <WrappingIdentifier text={briefId(id)} /> : <NoValue />}
        </code>
      );
    },
  },
  {
    title: logTimeTitle("Created"),
    align: "end",
    cell: ({ created }) => <DayAndTime at={created} seconds />,
  },
];

/** The events of the account, as sent to webhook endpoints. */
export function EventsPage() {
  const [values] = useUrlQuery();
  const query = queryOf(filters, values);
  const list = useList<Event>("/events", query, { everyMs: 10_000 });
  return (
    <Page
      title="Events"
      lead="Events of the last 30 days. Each webhook endpoint receives the event types that it subscribes to."
    >
      <Filters filters={filters} />
      <Panel flush>
        <ListTable
          label="Events"
          list={list}
          columns={columns}
          to={({ id }) => `/events/${id}`}
          empty={
            <EmptyState icon={Radio} title="No events">
              {Object.keys(query).length > 0
                ? "No events match these filters."
                : "Events for payments, refunds, disputes and payouts appear here."}
            </EmptyState>
          }
        />
      </Panel>
    </Page>
  );
}
