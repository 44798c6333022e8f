import type { Owner } from "../../core/owner.ts";
import { groupCommit } from "../../platform/database/group-commit.ts";
import { pinnedPlans } from "../../platform/database/pinned-plans.ts";
import { startLoop } from "../../platform/jobs/loop.ts";
import type { DeliveryLease, QueuedDelivery } from "../events/queued-delivery.ts";
import { openAddressBook } from "./address-book.ts";
import { openAttempts } from "./attempt.ts";
import { type Claim, type ClaimRequest, claimDeliveries, firstEndpoint } from "./delivery.sql.ts";
import { type ClaimedDelivery, handBack } from "./delivery.ts";
import {
  type DeliveryDeps,
  type DeliverySettings,
  defaultDeliverySettings,
} from "./delivery-deps.ts";
import { openHandOver } from "./hand-over.ts";
import { openLanes } from "./lanes.ts";
import type { Parcel } from "./parcel.ts";
import { placeOf, sendBeforeOf } from "./parcel.ts";
import { openRecorder } from "./recorder.ts";

/** The worker that delivers events to merchants. Workers of several processes share the work. */
export type Deliveries = {
  /** Claims due deliveries at once. Called after a commit that inserted deliveries. */
  wake(): void;
  /**
   * Returns a lease for deliveries that are being inserted, or null when this worker has no capacity. Deliveries
   * inserted with the lease are then passed to `take`.
   */
  lease(): DeliveryLease | null;
  /**
   * Sends deliveries that were inserted with a lease, without reading them from the database. `first`: whether their
   * events are the first about their objects, and so may be sent in any order.
   */
  take(owner: Owner, deliveries: readonly QueuedDelivery[], first: boolean): void;
  /** Finishes the attempts in flight, releases the other claimed deliveries, and closes all connections. */
  stop(): Promise<void>;
};

export function startDeliveries(deps: DeliveryDeps): Deliveries {
  const settings: DeliverySettings = { ...defaultDeliverySettings, ...deps.settings };
  const { database, clock, log, processNumber } = deps;
  const connect = () => database.connect(pinnedPlans);
  const recorder = openRecorder(connect, processNumber, log);
  const addresses = openAddressBook(deps);
  const claim = groupCommit<ClaimRequest, Claim>({
    connect,
    connections: 1,
    maxBatch: 1,
    maxQueue: 1,
    write: async (tx, [request]) => [await claimDeliveries(tx, request as ClaimRequest)],
  });
  const attempts = openAttempts(deps, settings, recorder, {
    // Deliveries that were claimed before the circuit breaker opened wait in the database until it closes.
    onPause: (endpointId) => giveBack(lanes.drain(endpointId)),
  });
  const lanes = openLanes<Parcel>({
    ...settings,
    send: attempts.send,
    onRoom: () => loop.wake(),
  });
  const handOver = openHandOver({ clock, settings, addresses, lanes, recorder, log });
  let after = firstEndpoint;
  let finishing: Promise<void> | null = null;
  const loop = startLoop({
    name: "webhook deliveries",
    everyMs: settings.pollMs,
    work: claimMore,
    onError: log.workFailed,
  });

  /** Claims as many deliveries as there is capacity for, and adds them to the endpoint queues. */
  async function claimMore(): Promise<boolean> {
    const room = settings.mostHeld - lanes.held() - recorder.pending();
    const limit = Math.min(settings.claimSize, room);
    // Each attempt that finishes wakes the loop again.
    if (limit <= 0) return false;
    const claimedAt = performance.now();
    const now = clock.now();
    const from = after;
    const rooms = lanes.rooms();
    const behind = handOver.behind();
    const { deliveries, next } = await claim({
      now,
      process: processNumber(),
      until: new Date(now.getTime() + settings.leaseMs),
      after: from,
      endpoints: settings.endpointsPerClaim,
      rooms,
      otherRoom: settings.mostInFlightPerEndpoint,
      limit,
    });
    after = next ?? firstEndpoint;
    await putIntoLanes(deliveries, sendBeforeOf(claimedAt + settings.leaseMs, settings), now);
    handOver.caughtUp(behind, { from, next, deliveries, rooms });
    return deliveries.length > 0 || next !== null;
  }

  async function putIntoLanes(
    deliveries: readonly ClaimedDelivery[],
    sendBefore: number,
    now: Date,
  ): Promise<void> {
    if (deliveries.length === 0) return;
    const known = await addresses.read(deliveries, now);
    for (const delivery of deliveries) {
      const address = known.get(delivery.endpointId) ?? null;
      lanes.add(placeOf(delivery), { delivery, address, sendBefore });
    }
  }

  function giveBack(parcels: readonly Parcel[]): void {
    for (const { delivery } of parcels) void recorder.keep(handBack(delivery));
  }

  async function finish(): Promise<void> {
    await loop.stop();
    await handOver.settled();
    giveBack(lanes.drain());
    await lanes.idle();
    await attempts.settled();
    await Promise.all([claim.close(), recorder.close()]);
    await attempts.close();
  }

  return {
    wake: () => loop.wake(),
    lease() {
      if (finishing || lanes.held() + recorder.pending() >= settings.mostHeld / 2) return null;
      const until = new Date(clock.now().getTime() + settings.leaseMs);
      return { until, process: processNumber() };
    },
    take: handOver.take,
    stop() {
      finishing ??= finish();
      return finishing;
    },
  };
}
