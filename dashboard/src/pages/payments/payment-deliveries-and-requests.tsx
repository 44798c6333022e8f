import type { Charge } from "@florin/contract/charge.ts";
import type { LoggedRequest } from "@florin/contract/request-log.ts";
import type { EventDelivery } from "@florin/contract/timeline.ts";
import type { ListOf } from "../../api/api.ts";
import { useMay } from "../../api/signed-in-person.ts";
import { useObject } from "../../api/use-object.ts";
import { Status } from "../../components/badge.tsx";
import { DayAndTime, logTimeTitle } from "../../components/date-time.tsx";
import { GivenText } from "../../components/given-text.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { IdentifierCode } from "../../components/wrapping-identifier.tsx";
import { RequestLine } from "../requests/request-line.tsx";
import { ResponseStatus } from "../requests/response-status.tsx";
import { useTimeline } from "./payment-timeline.tsx";

const deliveryColumns: readonly Column<EventDelivery>[] = [
  {
    title: "Event",
    cell: ({ event_type }) => <IdentifierCode text={event_type} />,
  },
  { title: "Status", cell: ({ status }) => <Status status={status} /> },
  {
    title: "Endpoint",
    from: "md",
    cell: ({ url }) => <span className="line-clamp-1 max-w-72 break-all text-ink-soft">{url}</span>,
  },
  { title: "Attempts", from: "sm", align: "end", cell: ({ attempts }) => attempts },
];

/** The webhook deliveries of the payment's events, with their status. */
export function PaymentDeliveries({ charge }: { charge: Charge }) {
  const may = useMay();
  const { data, isPending, error } = useTimeline(charge);
  if (!may("webhooks:read")) return null;
  return (
    <Panel title="Webhook deliveries" flush>
      <Table
        label="Webhook deliveries of this payment"
        columns={deliveryColumns}
        rows={data?.deliveries.toReversed() ?? []}
        keyOf={({ delivery_id }) => delivery_id}
        to={({ delivery_id }) => `/webhook-deliveries/${delivery_id}`}
        pending={isPending}
        problem={error}
        empty={
          <p className="p-4 text-ink-soft sm:p-5">
            No webhook endpoint was subscribed to this payment’s events.
          </p>
        }
      />
    </Panel>
  );
}

const requestColumns: readonly Column<LoggedRequest>[] = [
  {
    title: "Request",
    cell: (request) => <RequestLine {...request} />,
  },
  {
    title: "Response",
    cell: (request) => <ResponseStatus {...request} />,
  },
  {
    title: "Actor",
    from: "md",
    cell: ({ actor }) => (
      <span className="line-clamp-1 break-all">
        <GivenText text={actor.name} />
      </span>
    ),
  },
  {
    title: logTimeTitle("Time"),
    align: "end",
    from: "sm",
    cell: ({ created }) => <DayAndTime at={created} seconds />,
  },
];

/** The API requests that changed the payment, with their actors. Excludes GET requests. */
export function PaymentRequests({ charge }: { charge: Charge }) {
  const may = useMay();
  const allowed = may("logs:read");
  const { data, isPending, error } = useObject<ListOf<LoggedRequest>>(
    allowed ? "/request_logs" : null,
    { object_id: charge.id, method: "POST", limit: 25 },
  );
  if (!allowed) return null;
  return (
    <Panel title="Requests" flush>
      <Table
        label="Requests about this payment"
        columns={requestColumns}
        rows={data?.data ?? []}
        keyOf={({ id }) => id}
        to={({ id }) => `/requests/${id}`}
        pending={isPending}
        problem={error}
        empty={
          <p className="p-4 text-ink-soft sm:p-5">
            No API request is stored for this payment. Requests of the card form are not stored.
          </p>
        }
      />
    </Panel>
  );
}
