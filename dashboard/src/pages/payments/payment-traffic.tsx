import type { Charge } from "@florin/contract/charge.ts";
import type { EventDelivery } from "@florin/contract/timeline.ts";
import { useMay } from "../../api/me.ts";
import { Status } from "../../components/badge.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { useTimeline } from "./payment-timeline.tsx";

const deliveryColumns: readonly Column<EventDelivery>[] = [
  {
    title: "Event",
    cell: ({ event_type }) => <code className="font-mono text-xs">{event_type}</code>,
  },
  { title: "Status", cell: ({ status }) => <Status status={status} /> },
  {
    title: "Endpoint",
    from: "md",
    cell: ({ url }) => <span className="line-clamp-1 max-w-72 break-all text-ink-soft">{url}</span>,
  },
  { title: "Attempts", from: "sm", align: "end", cell: ({ attempts }) => attempts },
];

/** Who was told of what happened to the payment, and whether they heard. */
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
          <p className="p-5 text-ink-soft">No webhook endpoint was registered for its events.</p>
        }
      />
    </Panel>
  );
}
