import type { AccountId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { ClaimedDelivery } from "./delivery.ts";
import type { DeliverySettings } from "./delivery-deps.ts";
import type { ResolvedEndpoint } from "./endpoint-cache.ts";
import type { QueuePosition } from "./endpoint-queues.ts";

/** A claimed delivery and its resolved endpoint. The endpoint is null if it was deleted. */
export type PendingDelivery = {
  readonly delivery: ClaimedDelivery;
  readonly endpoint: ResolvedEndpoint | null;
  /** The time on the monotonic clock after which the rest of the lease is too short for an attempt. */
  readonly sendBefore: number;
};

/** Returns the key of an account and mode, whose endpoints share limits. */
function accountKeyOf({ account, livemode }: Scope): string {
  return `${account} ${livemode}`;
}

/** Returns the account and mode of a key. */
export function scopeOf(key: string): Scope {
  const [account, livemode] = key.split(" ");
  return { account: account as AccountId, livemode: livemode === "true" };
}

/**
 * Returns the queue position of a delivery. First attempts about the same object are sent in order. Retries are not.
 */
export function queuePositionOf(delivery: ClaimedDelivery): QueuePosition {
  const { endpointId, scope, attempt, objectId } = delivery;
  return {
    endpoint: endpointId,
    account: accountKeyOf(scope),
    inOrderWith: attempt === 1 ? objectId : null,
  };
}

/** The time between the end of an attempt's deadline and the end of its lease, in which the outcome is recorded. */
const leaseMarginMs = 5_000;

/**
 * Returns the latest time to start an attempt. Both times are on the monotonic clock, which also advances while a
 * process is suspended.
 */
export function latestSendTime(leaseEnds: number, { deadlineMs }: DeliverySettings): number {
  return leaseEnds - deadlineMs - leaseMarginMs;
}
