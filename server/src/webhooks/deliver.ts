import type { QueuedDelivery } from "../charges/charge.sql.ts";
import { groupCommit } from "../database/group-commit.ts";
import { startLoop } from "../jobs/loop.ts";
import { briefly } from "../primitives/briefly.ts";
import { unixSeconds } from "../primitives/clock.ts";
import type { AccountId, WebhookEndpointId } from "../primitives/ids.ts";
import type { Owner } from "../primitives/owner.ts";
import {
  type Claim,
  type ClaimRequest,
  claimDeliveries,
  firstEndpoint,
  recordAttempts,
} from "./delivery.sql.ts";
import {
  type AttemptOutcome,
  type AttemptRecord,
  afterAttempt,
  type ClaimedDelivery,
  handBack,
  isSuccess,
} from "./delivery.ts";
import type { DeliveryDeps, DeliverySettings } from "./delivery-deps.ts";
import { defaultDeliverySettings } from "./delivery-deps.ts";
import { type EndpointInUse, readEndpointsInUse } from "./endpoint.sql.ts";
import { trackHealth } from "./endpoint-health.ts";
import { mayBePrivate } from "./endpoint-url.ts";
import { openLanes } from "./lanes.ts";
import { openOriginPools } from "./origin-pools.ts";
import { post } from "./post.ts";
import { type SigningKey, signatureHeaders } from "./signature.ts";
import { openSigningKeys } from "./signing-keys.ts";

/** The worker that brings events to merchants. Several in several processes share the work. */
export type Deliveries = {
  /** Looks for what is due at once: call it after a commit that wrote deliveries. */
  wake(): void;
  /**
   * Until when this worker would hold deliveries that are being written just now; null when it has enough to do. What
   * is written with this lease is then given to `take`.
   */
  lease(): Date | null;
  /** Sends deliveries that were written with a lease, without asking the database; wakes for those without one. */
  take(owner: Owner, deliveries: readonly QueuedDelivery[]): void;
  /** Finishes what is in flight, hands back what was only claimed, and closes all connections. */
  stop(): Promise<void>;
};

/** A claimed delivery and where it goes; null when its endpoint is gone. */
type Parcel = {
  readonly delivery: ClaimedDelivery;
  readonly address: Address | null;
  /** By the monotonic clock: when the lease is too short for another attempt to fit. */
  readonly sendBefore: number;
};

type Address = EndpointInUse & { readonly url: URL; readonly keys: readonly SigningKey[] };

/** Plans that stay right however the tables grow: with array parameters the planner may guess badly. */
const pinnedPlans = {
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_bitmapscan: "off",
  jit: "off",
};

export function startDeliveries(deps: DeliveryDeps): Deliveries {
  const settings: DeliverySettings = { ...defaultDeliverySettings, ...deps.settings };
  const { database, clock, chance, log } = deps;
  const connect = () => database.connect(pinnedPlans);
  const pools = openOriginPools();
  const signingKeys = openSigningKeys(deps.keys);
  const health = trackHealth(deps);
  /** Records on their way to the database. */
  let recording = 0;
  let after = firstEndpoint;
  let finishing: Promise<void> | null = null;

  const claim = groupCommit<ClaimRequest, Claim>({
    connect,
    connections: 1,
    maxBatch: 1,
    maxQueue: 1,
    write: async (tx, [request]) => [await claimDeliveries(tx, request as ClaimRequest)],
  });
  const record = groupCommit<AttemptRecord, boolean>({
    connect,
    connections: 1,
    maxBatch: 512,
    maxQueue: 50_000,
    write: recordAttempts,
  });

  const lanes = openLanes<Parcel>({
    mostInFlight: settings.mostInFlight,
    firstWindow: settings.firstWindow,
    largestWindow: settings.mostInFlightPerEndpoint,
    send,
    onRoom: () => loop.wake(),
  });
  const loop = startLoop({
    name: "webhook deliveries",
    everyMs: settings.pollMs,
    work: claimMore,
    onError: log.workFailed,
  });

  /** One turn: claims what there is room for, and puts it into the lanes. */
  async function claimMore(): Promise<boolean> {
    const limit = Math.min(settings.claimSize, settings.mostHeld - lanes.held() - recording);
    // What is answered meanwhile wakes the loop again.
    if (limit <= 0) return false;
    const claimedAt = performance.now();
    const now = clock.now();
    const { deliveries, next } = await claim({
      now,
      until: new Date(now.getTime() + settings.leaseMs),
      after,
      endpoints: settings.endpointsPerClaim,
      rooms: lanes.rooms().map(({ key, room }) => ({ endpointId: key as `we_${string}`, room })),
      otherRoom: settings.firstWindow,
      limit,
    });
    after = next ?? firstEndpoint;
    if (deliveries.length > 0) {
      const addresses = await addressesOf(deliveries, now);
      const sendBefore = sendBeforeOf(claimedAt);
      for (const delivery of deliveries) {
        const address = addresses.get(delivery.endpointId) ?? null;
        lanes.add(delivery.endpointId, { delivery, address, sendBefore });
      }
    }
    return deliveries.length > 0 || next !== null;
  }

  /** The endpoints of a batch, read once and with their secrets opened. */
  async function addressesOf(
    deliveries: readonly Pick<ClaimedDelivery, "owner" | "endpointId">[],
    now: Date,
  ): Promise<Map<string, Address>> {
    const wanted = new Map(deliveries.map((delivery) => [delivery.endpointId, delivery]));
    const inUse = await readEndpointsInUse(database.read, [...wanted.values()]);
    const addresses = await Promise.all(
      inUse.map(async (used): Promise<[string, Address]> => {
        const keys = await signingKeys(used.endpoint, now);
        return [used.endpoint.id, { ...used, url: new URL(used.endpoint.url), keys }];
      }),
    );
    return new Map(addresses);
  }

  const sendBeforeOf = (claimedAt: number): number =>
    claimedAt + settings.leaseMs - settings.deadlineMs - leaseMarginMs;

  function lease(): Date | null {
    if (finishing || lanes.held() + recording >= settings.mostHeld / 2) return null;
    return new Date(clock.now().getTime() + settings.leaseMs);
  }

  /** Read again after a while, so that a change of the endpoint takes effect. */
  const rememberedAddress = briefly(addressMemoryMs, async (place: string) => {
    const [account, mode, endpointId] = place.split(" ") as [AccountId, string, WebhookEndpointId];
    const owner = { account, livemode: mode === "live" };
    const addresses = await addressesOf([{ owner, endpointId }], clock.now());
    return addresses.get(endpointId) ?? null;
  });

  async function takeOne(owner: Owner, queued: QueuedDelivery, leasedUntil: Date): Promise<void> {
    const { id, endpointId, event } = queued;
    const leftMs = leasedUntil.getTime() - clock.now().getTime();
    const sendBefore = sendBeforeOf(performance.now() + leftMs - settings.leaseMs);
    const mode = owner.livemode ? "live" : "test";
    const address = await rememberedAddress(`${owner.account} ${mode} ${endpointId}`);
    const body = Buffer.from(event.body);
    const delivery = { owner, id, eventId: event.id, endpointId, attempt: 1, body };
    lanes.add(endpointId, { delivery, address, sendBefore });
  }

  function take(owner: Owner, deliveries: readonly QueuedDelivery[]): void {
    for (const delivery of deliveries) {
      const { leasedUntil } = delivery;
      if (!leasedUntil) loop.wake();
      // Should it fail, the lease runs out and the delivery comes due by itself.
      else takeOne(owner, delivery, leasedUntil).catch(handOverFailed);
    }
  }

  const handOverFailed = (error: unknown): void => log.workFailed("webhook hand-over", error);

  async function send({ delivery, address, sendBefore }: Parcel): Promise<boolean | null> {
    // It waited too long behind others: another worker may have it by the time the answer comes.
    if (performance.now() > sendBefore) {
      keep(handBack(delivery, clock.now()));
      return null;
    }
    const began = clock.now();
    const startedAt = performance.now();
    const outcome = await attempt(delivery, address, began);
    const durationMs = performance.now() - startedAt;
    keep(afterAttempt(delivery, outcome, { began, durationMs, now: clock.now() }, chance()));
    if (address) health.note(address, outcome, clock.now());
    return isSuccess(outcome);
  }

  async function attempt(
    delivery: ClaimedDelivery,
    address: Address | null,
    now: Date,
  ): Promise<AttemptOutcome> {
    if (!address) {
      return { kind: "failed", failure: "endpoint_deleted", sentence: "The endpoint was deleted." };
    }
    if (address.endpoint.status === "disabled") {
      return {
        kind: "failed",
        failure: "endpoint_disabled",
        sentence: "The endpoint is disabled.",
      };
    }
    const { livemode } = delivery.owner;
    const { allowPrivateAddresses } = deps;
    const pool = pools.poolFor(address.url, mayBePrivate({ livemode, allowPrivateAddresses }));
    const signed = signatureHeaders(address.keys, {
      id: delivery.eventId,
      body: delivery.body,
      timestamp: unixSeconds(now),
    });
    return post(pool, {
      url: address.url,
      headers: { "content-type": "application/json", "user-agent": userAgent, ...signed },
      body: delivery.body,
      deadlineMs: settings.deadlineMs,
      clock,
    });
  }

  /** Nobody waits for the record. Should it fail, the lease runs out and the delivery is sent again. */
  function keep(attemptRecord: AttemptRecord): void {
    recording++;
    record(attemptRecord)
      .catch((error) => log.workFailed("webhook attempt record", error))
      .finally(() => {
        recording--;
      });
  }

  async function finish(): Promise<void> {
    await loop.stop();
    for (const { delivery } of lanes.drain()) keep(handBack(delivery, clock.now()));
    await lanes.idle();
    await Promise.all([claim.close(), record.close(), health.settled()]);
    await pools.close();
  }

  return {
    wake: () => loop.wake(),
    lease,
    take,
    stop() {
      finishing ??= finish();
      return finishing;
    },
  };
}

/** How long an endpoint is remembered for what is handed over. */
const addressMemoryMs = 1_000;

/** Between the end of an attempt's deadline and the end of its lease there is time to write the outcome down. */
const leaseMarginMs = 5_000;

const userAgent = "Florin/1.0 (webhooks)";
