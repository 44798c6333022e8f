import type { WebhookDelivery, WebhookEndpoint } from "@florin/contract/webhook-endpoint.ts";
import { Send } from "lucide-react";
import { useState } from "react";
import { useMay } from "../../api/signed-in-person.ts";
import { useList } from "../../api/use-list.ts";
import { useUrlQuery } from "../../api/use-url-query.ts";
import { Status } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { DayAndTime, logTimeTitle } from "../../components/date-time.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { queryOf, statusFilter } from "../../components/filter.ts";
import { Filters } from "../../components/filters.tsx";
import { NoValue } from "../../components/no-value.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, ListTable } from "../../components/table.tsx";
import { IdentifierCode } from "../../components/wrapping-identifier.tsx";
import { lastResponse } from "./endpoint-status.tsx";
import { ResendMissedDialog } from "./resend-missed-dialog.tsx";

const filters = [statusFilter(["pending", "succeeded", "given_up"])];

const columns: readonly Column<WebhookDelivery>[] = [
  {
    title: "Event",
    cell: ({ event_type }) => <IdentifierCode text={event_type} />,
  },
  { title: "Status", cell: ({ status }) => <Status status={status} /> },
  {
    title: "Last response",
    from: "sm",
    below: ({ log }) => (log.length > 0 ? <LastResponse log={log} /> : null),
    cell: ({ log }) => (
      <span className="text-ink-soft">
        <LastResponse log={log} />
      </span>
    ),
  },
  { title: "Attempts", from: "lg", align: "end", cell: ({ attempts }) => attempts },
  {
    title: logTimeTitle("Created"),
    align: "end",
    cell: ({ created }) => <DayAndTime at={created} seconds />,
  },
];

function LastResponse({ log }: Pick<WebhookDelivery, "log">) {
  const last = log.at(-1);
  return last ? lastResponse(last) : <NoValue />;
}

/** The deliveries of the endpoint. Missed deliveries can be resent. */
export function EndpointDeliveries({ endpoint }: { endpoint: WebhookEndpoint }) {
  const [values] = useUrlQuery();
  const [resending, setResending] = useState(false);
  const query = queryOf(filters, values);
  const list = useList<WebhookDelivery>(`/webhook_endpoints/${endpoint.id}/deliveries`, query, {
    everyMs: 5_000,
  });
  const may = useMay();
  const off = endpoint.status === "disabled";
  return (
    <Panel
      title="Deliveries"
      flush
      actions={
        may("webhooks:write") && (
          <Button
            small
            unavailable={off ? "Enable the endpoint first." : null}
            onClick={() => setResending(true)}
          >
            Resend missed deliveries
          </Button>
        )
      }
    >
      <div className="px-4 py-3 sm:px-5">
        <Filters filters={filters} />
      </div>
      <ListTable
        label="Deliveries"
        list={list}
        columns={columns}
        to={({ id }) => `/webhook-deliveries/${id}`}
        empty={
          <EmptyState icon={Send} title="No deliveries">
            {query.status
              ? "No deliveries have the selected status."
              : "Deliveries appear here when subscribed events occur. Send a ping to test the endpoint now."}
          </EmptyState>
        }
      />
      <ResendMissedDialog
        endpoint={endpoint}
        open={resending}
        onClose={() => setResending(false)}
      />
    </Panel>
  );
}
