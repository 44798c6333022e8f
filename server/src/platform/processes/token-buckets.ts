import {
  type BucketSize,
  fullBucket,
  refilledTokens,
  type Taken,
  type TokenBucket,
  takeToken,
} from "../../core/token-bucket.ts";
import { createBucketQueues, type Turn } from "./bucket-queues.ts";
import type { Channel } from "./channel.ts";
import type { Hub } from "./hub.ts";
import type { Siblings } from "./siblings.ts";

/**
 * Token buckets by key. They apply to all processes of a service together. A single process has them in its memory.
 * With several processes, the primary has them, and each worker leases a small number of tokens at a time.
 */
export type TokenBuckets = {
  /** Takes a token. Returns a promise only if the worker has no leased token and must wait for the primary. */
  take(key: string, size: BucketSize): Taken | Promise<Taken>;
  /**
   * Takes a token. If the bucket is empty, waits until the request's turn. The requests of all processes wait in one
   * queue. While requests wait, only they get tokens.
   */
  takeInTurn(key: string, size: BucketSize, turn: Turn): Taken | Promise<Taken>;
  /**
   * Takes a leased token and returns true. If this process has no token, returns false and leases tokens for later
   * calls.
   */
  takeAtHand(key: string, size: BucketSize): boolean;
  /** Returns whether the bucket is known to be empty. Takes nothing. */
  isEmpty(key: string): boolean;
};

/** Token buckets of a single process. `take` never returns a promise. */
export type LocalTokenBuckets = TokenBuckets & { take(key: string, size: BucketSize): Taken };

export function createLocalBuckets(): LocalTokenBuckets {
  const buckets = createBuckets();

  const take = (key: string, size: BucketSize) => takeFrom(buckets, key, size);

  return {
    take,
    takeInTurn: createBucketQueues(take).takeInTurn,
    takeAtHand: (key, size) => take(key, size).taken,
    isEmpty(key) {
      const bucket = buckets.get(key);
      return bucket !== undefined && refilledTokens(bucket, performance.now()) < 1;
    },
  };
}

/** Creates the buckets of a limit. `name` identifies the limit among all limits of the service. */
export function createTokenBuckets(name: string, { primary }: Siblings): TokenBuckets {
  return primary ? createLeasedBuckets(name, primary) : createLocalBuckets();
}

const topics = {
  lease: "tokens: lease",
  return: "tokens: return",
  takeInTurn: "tokens: take in turn",
} as const;

type LeaseRequest = BucketSize & { readonly key: string; readonly wanted: number };
type LeaseResponse = {
  readonly granted: number;
  /** The tokens that are left in the primary's bucket. */
  readonly left: number;
  /** The time until the bucket has a token. 0 if tokens were granted. */
  readonly waitMs: number;
};
type TurnRequest = { readonly key: string; readonly size: BucketSize; readonly turn: Turn };

/** Serves the tokens of all buckets to the workers. Runs in the primary process. */
export function serveTokenBuckets(hub: Hub): void {
  const buckets = createBuckets();
  const queues = createBucketQueues((key, size) => takeFrom(buckets, key, size));
  hub.handle(topics.lease, (body): LeaseResponse => {
    const { key, wanted, ...size } = body as LeaseRequest;
    const bucket = bucketOf(buckets, key, size);
    const waitMs = queues.waitMsOf(key) || takeToken(bucket, performance.now());
    if (waitMs > 0) return { granted: 0, left: 0, waitMs };
    const more = Math.min(wanted - 1, Math.floor(bucket.tokens));
    bucket.tokens -= more;
    return { granted: more + 1, left: bucket.tokens, waitMs: 0 };
  });
  hub.handle(topics.takeInTurn, (body) => {
    const { key, size, turn } = body as TurnRequest;
    return queues.takeInTurn(key, size, turn);
  });
  hub.handle(topics.return, (body) => {
    for (const [key, tokens] of body as [string, number][]) {
      const bucket = buckets.get(key);
      if (bucket) bucket.tokens = Math.min(bucket.capacity, bucket.tokens + tokens);
    }
  });
}

/**
 * The number of seconds whose tokens a worker leases at a time. It limits the messages for a busy key to about 40/s.
 */
const leasedSeconds = 0.05;

/** A lease that was not used for this long is returned, so that another worker can use its tokens. */
const idleMs = 250;

/** The time that the primary has for its response after the end of a request's wait. */
const turnMarginMs = 500;

type Lease = {
  readonly perSecond: number;
  readonly chunk: number;
  tokens: number;
  /** The tokens that were left in the primary's bucket after the last grant. */
  left: number;
  /** The time before which the primary's bucket has no token. */
  emptyUntil: number;
  usedAt: number;
  refill: Promise<void> | null;
};

/**
 * Takes tokens from small leases. A lease is renewed before it is used up. A request therefore waits for the primary
 * only if its key was not used in this worker for a while, or if the limit is nearly exceeded.
 */
function createLeasedBuckets(name: string, primary: Channel): TokenBuckets {
  const leases = new Map<string, Lease>();
  let sweep: NodeJS.Timeout | null = null;

  function leaseOf(key: string, { perSecond }: BucketSize, now: number): Lease {
    const known = leases.get(key);
    if (known?.perSecond === perSecond) return known;
    const chunk = Math.max(1, Math.floor(perSecond * leasedSeconds));
    const lease: Lease = {
      perSecond,
      chunk,
      tokens: 0,
      left: 0,
      emptyUntil: 0,
      usedAt: now,
      refill: null,
    };
    leases.set(key, lease);
    sweep ??= setInterval(returnIdle, idleMs).unref();
    return lease;
  }

  function returnIdle(): void {
    const now = performance.now();
    const returned: [string, number][] = [];
    for (const [key, lease] of leases) {
      if (lease.refill || now - lease.usedAt < idleMs) continue;
      if (lease.tokens > 0) returned.push([`${name} ${key}`, lease.tokens]);
      leases.delete(key);
    }
    if (returned.length > 0) primary.send(topics.return, returned);
    if (leases.size === 0 && sweep) {
      clearInterval(sweep);
      sweep = null;
    }
  }

  async function renew(key: string, size: BucketSize, lease: Lease): Promise<void> {
    const request: LeaseRequest = {
      key: `${name} ${key}`,
      perSecond: size.perSecond,
      capacity: size.capacity,
      wanted: lease.chunk,
    };
    try {
      const response = (await primary.request(topics.lease, request)) as LeaseResponse;
      lease.tokens += response.granted;
      lease.left = response.left;
      lease.emptyUntil = performance.now() + response.waitMs;
    } finally {
      lease.refill = null;
    }
  }

  /** Takes a leased token, and renews the lease early. Returns null if the lease has no token. */
  function takeLeased(key: string, size: BucketSize, now: number): Taken | null {
    const lease = leaseOf(key, size, now);
    lease.usedAt = now;
    if (lease.tokens < 1) {
      return now < lease.emptyUntil ? { taken: false, waitMs: lease.emptyUntil - now } : null;
    }
    lease.tokens -= 1;
    // The caller does not wait for this renewal. If it fails, a later caller that finds no token renews the lease.
    const isLow = lease.chunk > 1 && lease.tokens < lease.chunk / 2;
    if (isLow && now >= lease.emptyUntil) renewal(key, size, lease).catch(() => undefined);
    return { taken: true, tokens: lease.tokens + lease.left };
  }

  function renewal(key: string, size: BucketSize, lease: Lease): Promise<void> {
    lease.refill ??= renew(key, size, lease);
    return lease.refill;
  }

  function take(key: string, size: BucketSize): Taken | Promise<Taken> {
    const now = performance.now();
    return (
      takeLeased(key, size, now) ??
      renewal(key, size, leaseOf(key, size, now)).then(() => take(key, size))
    );
  }

  /**
   * Waits in the primary's queue. The primary responds with a token or a rejection within `maxWaitMs`, unless it is
   * suspended.
   */
  async function waitForTurn(key: string, size: BucketSize, turn: Turn): Promise<Taken> {
    const request: TurnRequest = { key: `${name} ${key}`, size, turn };
    const timeoutMs = turn.maxWaitMs + turnMarginMs;
    return (await primary.request(topics.takeInTurn, request, timeoutMs)) as Taken;
  }

  return {
    take,
    takeInTurn(key, size, turn) {
      const taken = take(key, size);
      if (taken instanceof Promise) {
        return taken.then((one) => (one.taken ? one : waitForTurn(key, size, turn)));
      }
      return taken.taken ? taken : waitForTurn(key, size, turn);
    },
    takeAtHand(key, size) {
      const now = performance.now();
      const taken = takeLeased(key, size, now);
      if (!taken) renewal(key, size, leaseOf(key, size, now)).catch(() => undefined);
      return taken?.taken ?? false;
    },
    isEmpty(key) {
      const lease = leases.get(key);
      return lease !== undefined && lease.tokens < 1 && performance.now() < lease.emptyUntil;
    },
  };
}

type Buckets = {
  get(key: string): TokenBucket | undefined;
  set(key: string, bucket: TokenBucket): void;
};

/** Returns the bucket of a key. A new bucket, and one whose rate was changed, is full. */
function bucketOf(buckets: Buckets, key: string, { perSecond, capacity }: BucketSize): TokenBucket {
  const known = buckets.get(key);
  if (known?.perSecond === perSecond) return known;
  const bucket = fullBucket(perSecond, capacity, performance.now());
  buckets.set(key, bucket);
  return bucket;
}

function takeFrom(buckets: Buckets, key: string, size: BucketSize): Taken {
  const bucket = bucketOf(buckets, key, size);
  const waitMs = takeToken(bucket, performance.now());
  return waitMs > 0 ? { taken: false, waitMs } : { taken: true, tokens: bucket.tokens };
}

const maxBuckets = 100_000;

/**
 * Stores buckets in two generations. When the younger generation is full, it replaces the older one, whose buckets are
 * dropped. A bucket of the older generation moves to the younger one when it is used. Memory is therefore bounded, no
 * request is delayed by a cleanup, and new keys do not evict an active key.
 */
function createBuckets(): Buckets {
  let younger = new Map<string, TokenBucket>();
  let older = new Map<string, TokenBucket>();

  function set(key: string, bucket: TokenBucket): void {
    if (younger.size >= maxBuckets / 2) {
      older = younger;
      younger = new Map();
    }
    younger.set(key, bucket);
  }

  function get(key: string): TokenBucket | undefined {
    const recent = younger.get(key);
    if (recent) return recent;
    const bucket = older.get(key);
    if (bucket) set(key, bucket);
    return bucket;
  }

  return { get, set };
}
