import type { Clock } from "../../core/clock.ts";
import { createdAt, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { QueuedDelivery } from "../events/queued-delivery.ts";
import type { AttemptWriter } from "./attempt-writer.ts";
import type { Claim, EndpointCapacity } from "./delivery.sql.ts";
import { type ClaimedDelivery, releaseDelivery } from "./delivery.ts";
import type { DeliveryLog, DeliverySettings } from "./delivery-deps.ts";
import { type EndpointCache, undecryptable } from "./endpoint-cache.ts";
import type { EndpointQueues } from "./endpoint-queues.ts";
import { latestSendTime, type PendingDelivery, queuePositionOf } from "./pending-delivery.ts";

/**
 * Passes deliveries that this process has just inserted directly to the endpoint queues. When an endpoint's queue is
 * full, the endpoint falls behind: some of its deliveries wait in the database. From then on, a delivery about an
 * object with earlier events goes to the database too, so that it overtakes none of them. The endpoint has caught up
 * when a claim finds fewer deliveries than there was capacity for.
 */
export type Dispatcher = {
  /** Queues or releases the deliveries. `first` is true if their events are the first about their objects. */
  take(scope: Scope, deliveries: readonly QueuedDelivery[], first: boolean): void;
  /**
   * Returns the endpoints that are behind and whose releases are all written. Call it before a claim, and `caughtUp`
   * after it.
   */
  behind(): ReadonlyMap<string, number>;
  caughtUp(behind: ReadonlyMap<string, number>, claimed: Claimed): void;
  /** Resolves when all deliveries passed to `take` are queued or released. */
  idle(): Promise<void>;
};

type Claimed = Claim & { readonly from: string; readonly capacities: readonly EndpointCapacity[] };

/**
 * An endpoint that is behind. `times` is the number of times it fell behind. `unwrittenReleases` is the number of
 * releases that are not yet written.
 */
type Behind = { times: number; unwrittenReleases: number };

type Deps = {
  readonly clock: Clock;
  readonly settings: DeliverySettings;
  readonly endpoints: EndpointCache;
  readonly queues: EndpointQueues<PendingDelivery>;
  readonly attemptWriter: AttemptWriter;
  readonly log: DeliveryLog;
};

export function createDispatcher(deps: Deps): Dispatcher {
  const { clock, settings, endpoints, queues, attemptWriter, log } = deps;
  const behind = new Map<string, Behind>();
  const taking = new Set<Promise<void>>();

  async function takeOne(
    scope: Scope,
    queued: QueuedDelivery,
    leasedUntil: Date,
    first: boolean,
  ): Promise<void> {
    const delivery = toClaimed(scope, queued, leasedUntil);
    const leaseEnds = performance.now() + leasedUntil.getTime() - clock.now().getTime();
    const endpoint = await endpoints.find(scope, delivery.endpointId);
    const { endpointId } = delivery;
    if (endpoint === undecryptable) return release(delivery);
    if (!queues.hasCapacity(endpointId) || (!first && behind.has(endpointId)))
      return release(delivery);
    const sendBefore = latestSendTime(leaseEnds, settings);
    queues.add(queuePositionOf(delivery), { delivery, endpoint, sendBefore });
  }

  async function release(delivery: ClaimedDelivery): Promise<void> {
    const one = markBehind(delivery.endpointId);
    one.unwrittenReleases++;
    await attemptWriter.write(releaseDelivery(delivery));
    one.unwrittenReleases--;
  }

  function markBehind(endpointId: string): Behind {
    const one = behind.get(endpointId) ?? { times: 0, unwrittenReleases: 0 };
    behind.set(endpointId, one);
    one.times++;
    return one;
  }

  return {
    take(scope, deliveries, first) {
      for (const delivery of deliveries) {
        if (!delivery.leasedUntil) {
          markBehind(delivery.endpointId);
          continue;
        }
        // If queueing fails, the lease expires and the delivery comes due again.
        const taken = takeOne(scope, delivery, delivery.leasedUntil, first)
          .catch((error) => log.workFailed("webhook dispatch", error))
          .finally(() => taking.delete(taken));
        taking.add(taken);
      }
    },
    behind() {
      const written = [...behind].filter(([, { unwrittenReleases }]) => unwrittenReleases === 0);
      return new Map(written.map(([endpoint, { times }]) => [endpoint, times]));
    },
    caughtUp(lagging, { from, next, deliveries, capacities }) {
      if (lagging.size === 0) return;
      const found = Map.groupBy(deliveries, ({ endpointId }) => endpointId as string);
      for (const [endpoint, times] of lagging) {
        const uuid = uuidOf(endpoint as `we_${string}`);
        const visited = uuid > from && (next === null || uuid < next);
        const capacity = capacities.find((one) => one.endpoint === endpoint)?.capacity;
        const all =
          (found.get(endpoint)?.length ?? 0) < (capacity ?? settings.maxInFlightPerEndpoint);
        if (visited && all && behind.get(endpoint)?.times === times) behind.delete(endpoint);
      }
    },
    async idle() {
      await Promise.all(taking);
    },
  };
}

function toClaimed(scope: Scope, queued: QueuedDelivery, leasedUntil: Date): ClaimedDelivery {
  const { id, endpointId, event } = queued;
  return {
    scope,
    id,
    eventId: event.id,
    objectId: uuidOf(event.objectId),
    endpointId,
    attempt: 1,
    dueAt: createdAt(event.id),
    leasedUntil,
    body: Buffer.from(event.body),
  };
}
