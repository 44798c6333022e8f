import type { DeliveryId, WebhookEndpointId } from "../../core/ids.ts";
import type { NewEvent } from "./event.ts";

/** A delivery that was inserted with its event. */
export type QueuedDelivery = {
  readonly id: DeliveryId;
  readonly endpointId: WebhookEndpointId;
  readonly event: NewEvent;
  /** The end of the caller's lease, or null if any worker can claim the delivery immediately. */
  readonly leasedUntil: Date | null;
};

/** The process that leases the inserted deliveries, and the end of the lease. */
export type DeliveryLease = { readonly until: Date; readonly process: number };
