import type { Address } from "./address-book.ts";
import type { ClaimedDelivery } from "./delivery.ts";
import type { DeliverySettings } from "./delivery-deps.ts";
import type { Place } from "./lanes.ts";

/** A claimed delivery and where it goes; null when its endpoint is gone. */
export type Parcel = {
  readonly delivery: ClaimedDelivery;
  readonly address: Address | null;
  /** By the monotonic clock: when the lease is too short for another attempt to fit. */
  readonly sendBefore: number;
};

/** First attempts of what is about one object go out in order; retries have lost it anyway. */
export function placeOf(delivery: ClaimedDelivery): Place {
  const { endpointId, owner, attempt, objectId } = delivery;
  return {
    endpoint: endpointId,
    account: `${owner.account} ${owner.livemode}`,
    inOrderWith: attempt === 1 ? objectId : null,
  };
}

/** Between the end of an attempt's deadline and the end of its lease there is time to write the outcome down. */
const leaseMarginMs = 5_000;

/** Both by the monotonic clock, which also counts while a process is stopped. */
export function sendBeforeOf(leaseEnds: number, { deadlineMs }: DeliverySettings): number {
  return leaseEnds - deadlineMs - leaseMarginMs;
}
