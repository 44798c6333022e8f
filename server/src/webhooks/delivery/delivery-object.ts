import type { WebhookDelivery } from "@florin/contract/webhook-endpoint.ts";
import { unixSeconds } from "../../core/clock.ts";
import { createdAt, idFromUuid } from "../../core/ids.ts";
import type { DeliveryRow } from "./delivery.sql.ts";

/** Returns a delivery as the API shows it. */
export function deliveryObject(row: DeliveryRow): WebhookDelivery {
  const id = idFromUuid("whd", row.id);
  return {
    id,
    object: "webhook_delivery",
    livemode: row.livemode,
    created: unixSeconds(createdAt(id)),
    ...deliveryFields(row),
    request_body: row.body,
    log: row.log,
  };
}

/** Returns the fields that a delivery has both in the API and in the timeline of a payment. */
export function deliveryFields(row: DeliveryRow) {
  return {
    event_id: idFromUuid("evt", row.event_id),
    event_type: row.event_type,
    endpoint_id: idFromUuid("we", row.endpoint_id),
    url: row.url ?? "",
    status: row.status,
    attempts: row.attempts,
    next_attempt_at: row.next_attempt_at && unixSeconds(row.next_attempt_at),
  };
}
