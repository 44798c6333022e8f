import type { WebhookEndpoint } from "@florin/contract/webhook-endpoint.ts";
import { SearchX, Webhook } from "lucide-react";
import { useMay } from "../../api/signed-in-person.ts";
import { useList } from "../../api/use-list.ts";
import { useUrlDialog } from "../../api/use-url-dialog.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { Button } from "../../components/button.tsx";
import { DateTime } from "../../components/date-time.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { type Filter, queryOf, statusFilter } from "../../components/filter.ts";
import { Filters } from "../../components/filters.tsx";
import { GivenText } from "../../components/given-text.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, ListTable } from "../../components/table.tsx";
import { EndpointDialog } from "./endpoint-dialog.tsx";
import { EndpointStatus, FailureDetails, isFailing } from "./endpoint-status.tsx";

const columns: readonly Column<WebhookEndpoint>[] = [
  {
    title: "URL",
    cell: (endpoint) => (
      <div className="grid">
        <span className="font-medium break-all">{endpoint.url}</span>
        {endpoint.description && (
          <GivenText text={endpoint.description} className="text-sm wrap-anywhere text-ink-soft" />
        )}
        {isFailing(endpoint) && (
          <div className="text-sm text-warning">
            <FailureDetails endpoint={endpoint} />
          </div>
        )}
      </div>
    ),
  },
  { title: "Status", cell: (endpoint) => <EndpointStatus endpoint={endpoint} /> },
  {
    title: "Events",
    from: "sm",
    below: "title and cell",
    cell: ({ enabled_events }) => (
      <span className="text-ink-soft">{eventsInWords(enabled_events)}</span>
    ),
  },
  {
    title: "Created",
    from: "md",
    align: "end",
    cell: ({ created }) => <DateTime at={created} only="day" />,
  },
];

function eventsInWords(types: readonly string[]): string {
  if (types.includes("*")) return "All";
  return types.length === 1 ? (types[0] as string) : `${types.length} types`;
}

/** The API query of each status in the filter. "Failing" is an enabled endpoint whose deliveries fail. */
const queriesByStatus: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  enabled: { status: "enabled", failing: "false" },
  failing: { failing: "true" },
  disabled: { status: "disabled" },
};

const filters: readonly Filter[] = [
  {
    ...statusFilter(Object.keys(queriesByStatus), { single: true }),
    query: ({ status = "" }) => queriesByStatus[status] ?? {},
  },
];

export function WebhookEndpointsPage() {
  const [values] = useUrlQuery();
  const query = queryOf(filters, values);
  const list = useList<WebhookEndpoint>("/webhook_endpoints", query, { everyMs: 10_000 });
  const may = useMay();
  const [dialog, setDialog] = useUrlDialog(["create"], () => may("webhooks:write"));
  const add = may("webhooks:write") && (
    <Button weight="primary" onClick={() => setDialog("create")}>
      Add endpoint
    </Button>
  );
  return (
    <Page
      title="Webhooks"
      lead="Endpoints on your server that receive events. Every delivery is signed and retried until it succeeds."
      actions={add}
    >
      <Filters filters={filters} />
      <Panel flush>
        <ListTable
          label="Webhook endpoints"
          list={list}
          columns={columns}
          to={({ id }) => `/webhooks/${id}`}
          empty={
            Object.keys(query).length > 0 ? (
              <EmptyState icon={SearchX} title="No matching endpoints">
                No endpoints have the selected status.
              </EmptyState>
            ) : (
              <EmptyState icon={Webhook} title="No webhook endpoints yet" action={add}>
                Add an endpoint to receive an event as soon as a payment succeeds or fails, even if
                the customer never returns to your page.
              </EmptyState>
            )
          }
        />
      </Panel>
      <EndpointDialog endpoint={null} open={dialog === "create"} onClose={() => setDialog(null)} />
    </Page>
  );
}
