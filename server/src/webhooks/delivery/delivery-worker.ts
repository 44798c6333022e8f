import type { Scope } from "../../core/scope.ts";
import { groupCommit } from "../../platform/database/group-commit.ts";
import { pinnedPlans } from "../../platform/database/pinned-plans.ts";
import { startLoop } from "../../platform/jobs/loop.ts";
import type { DeliveryLease, QueuedDelivery } from "../events/queued-delivery.ts";
import { createAttempts } from "./attempt.ts";
import { createAttemptWriter } from "./attempt-writer.ts";
import { type Claim, type ClaimRequest, claimDeliveries, firstEndpoint } from "./delivery.sql.ts";
import { type ClaimedDelivery, releaseDelivery } from "./delivery.ts";
import {
  type DeliveryDeps,
  type DeliverySettings,
  defaultDeliverySettings,
} from "./delivery-deps.ts";
import { createDispatcher } from "./dispatcher.ts";
import { createEndpointCache, undecryptable } from "./endpoint-cache.ts";
import { createEndpointQueues } from "./endpoint-queues.ts";
import type { PendingDelivery } from "./pending-delivery.ts";
import { latestSendTime, queuePositionOf, scopeOf } from "./pending-delivery.ts";

/** The worker that delivers events to merchants. Workers of several processes share the work. */
export type Deliveries = {
  /** Claims due deliveries immediately. Called after a commit that inserted deliveries. */
  wake(): void;
  /**
   * Returns a lease for deliveries that the caller is about to insert, or null if this worker has no capacity. After
   * the commit, the caller passes the deliveries to `take`.
   */
  lease(): DeliveryLease | null;
  /**
   * Sends deliveries that were inserted with a lease, without reading them from the database. `first` is true if their
   * events are the first about their objects. Such events may be sent in any order.
   */
  take(scope: Scope, deliveries: readonly QueuedDelivery[], first: boolean): void;
  /** Finishes the attempts in flight, releases the other claimed deliveries, and closes all connections. */
  stop(): Promise<void>;
};

export function startDeliveries(deps: DeliveryDeps): Deliveries {
  const settings: DeliverySettings = { ...defaultDeliverySettings, ...deps.settings };
  const { database, clock, log, processNumber } = deps;
  const connect = () => database.connect(pinnedPlans);
  const attemptWriter = createAttemptWriter(connect, processNumber, log);
  const addresses = createEndpointCache(deps);
  const claim = groupCommit<ClaimRequest, Claim>({
    connect,
    connections: 1,
    maxBatch: 1,
    maxQueue: 1,
    write: async (tx, [request]) => [await claimDeliveries(tx, request as ClaimRequest)],
  });
  const attempts = createAttempts(deps, settings, attemptWriter, {
    // Releases claimed deliveries when the circuit breaker opens. They wait in the database until it closes.
    onBackoff: (endpointId) => release(queues.drain(endpointId)),
  });
  const queues = createEndpointQueues<PendingDelivery>({
    ...settings,
    send: attempts.send,
    onCapacity: () => loop.wake(),
  });
  const dispatcher = createDispatcher({
    clock,
    settings,
    endpoints: addresses,
    queues: queues,
    attemptWriter: attemptWriter,
    log,
  });
  let after = firstEndpoint;
  let finishing: Promise<void> | null = null;
  const loop = startLoop({
    name: "webhook deliveries",
    everyMs: settings.pollMs,
    work: claimMore,
    background: { timers: deps.timers, onError: log.workFailed },
  });

  /** Claims as many deliveries as there is capacity for, and adds them to the endpoint queues. */
  async function claimMore(): Promise<boolean> {
    const capacity = settings.maxHeld - queues.held() - attemptWriter.pending();
    // A claim uses at most half of the capacity, because all of the claimed deliveries can be those of one merchant.
    const limit = Math.min(settings.claimSize, Math.ceil(capacity / 2));
    // Each finished attempt wakes the loop again.
    if (limit <= 0) return false;
    const claimedAt = performance.now();
    const now = clock.now();
    const from = after;
    const paused = addresses.paused();
    const capacities = [
      ...queues.capacities().filter(({ endpoint }) => !paused.includes(endpoint)),
      ...paused.map((endpoint) => ({ endpoint, capacity: 0 })),
    ];
    const exceptAccounts = queues.fullAccounts().map(scopeOf);
    const behind = dispatcher.behind();
    const { deliveries, next } = await claim({
      now,
      process: processNumber(),
      until: new Date(now.getTime() + settings.leaseMs),
      after: from,
      endpoints: settings.endpointsPerClaim,
      capacities,
      otherCapacity: settings.maxInFlightPerEndpoint,
      exceptAccounts,
      limit,
    });
    after = next ?? firstEndpoint;
    await addToQueues(deliveries, latestSendTime(claimedAt + settings.leaseMs, settings), now);
    // The claim left out the accounts in `exceptAccounts`. It found no deliveries of their endpoints, but that does not
    // mean that these endpoints have caught up.
    if (exceptAccounts.length === 0) {
      dispatcher.caughtUp(behind, { from, next, deliveries, capacities: capacities });
    }
    return deliveries.length > 0 || next !== null;
  }

  async function addToQueues(
    deliveries: readonly ClaimedDelivery[],
    sendBefore: number,
    now: Date,
  ): Promise<void> {
    if (deliveries.length === 0) return;
    const known = await addresses.read(deliveries, now);
    for (const delivery of deliveries) {
      const address = known.get(delivery.endpointId) ?? null;
      if (address === undecryptable) {
        void attemptWriter.write(releaseDelivery(delivery));
        continue;
      }
      queues.add(queuePositionOf(delivery), { delivery, endpoint: address, sendBefore });
    }
  }

  function release(pending: readonly PendingDelivery[]): void {
    for (const { delivery } of pending) void attemptWriter.write(releaseDelivery(delivery));
  }

  async function finish(): Promise<void> {
    await loop.stop();
    await dispatcher.idle();
    release(queues.drain());
    await queues.idle();
    await attempts.idle();
    await Promise.all([claim.close(), attemptWriter.close()]);
    await attempts.close();
  }

  return {
    wake: () => loop.wake(),
    lease() {
      if (finishing || queues.held() + attemptWriter.pending() >= settings.maxHeld / 2) return null;
      const until = new Date(clock.now().getTime() + settings.leaseMs);
      return { until, process: processNumber() };
    },
    take: dispatcher.take,
    stop() {
      finishing ??= finish();
      return finishing;
    },
  };
}
