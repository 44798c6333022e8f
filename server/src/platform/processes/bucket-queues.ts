import type { BucketSize, Taken } from "../../core/token-bucket.ts";
import { createFairQueue, type FairQueue } from "./fair-queue.ts";

/** A request that may wait for a token. */
export type Turn = {
  /** The account or other party that sends the request. The waiting parties get tokens in turn. */
  readonly party: string;
  /** The kind of request. The waiting kinds of a party get its tokens in turn. */
  readonly kind: string;
  /** The maximum time to wait. */
  readonly maxWaitMs: number;
  /**
   * The maximum time that all waiting requests of the party would take if each party received an equal share of the
   * tokens. It is shorter than `maxWaitMs`, so that a request that begins to wait is usually served.
   */
  readonly maxQueueMs: number;
};

/** The requests that wait for the tokens of empty buckets, by key. */
export type BucketQueues = {
  /**
   * Takes a token, or waits until it is the request's turn. Returns `taken: false` at once if the queue of the party is
   * full.
   */
  takeInTurn(key: string, size: BucketSize, turn: Turn): Taken | Promise<Taken>;
  /**
   * Returns the time until the requests that wait for a key are served. 0 if none waits. In this time, other requests
   * must not take tokens.
   */
  waitMsOf(key: string): number;
};

type Waiter = { readonly resolve: (taken: Taken) => void; readonly timeout: NodeJS.Timeout };

type Queue = { size: BucketSize; readonly waiters: FairQueue<Waiter> };

/** The maximum number of waiting requests of one kind of a party. It bounds their memory if the rate limit is high. */
const maxWaiting = 1_000;

/** `take` takes a token of a bucket without waiting. */
export function createBucketQueues(take: (key: string, size: BucketSize) => Taken): BucketQueues {
  /** Contains a queue only while requests wait in it. */
  const queues = new Map<string, Queue>();

  /** Gives the tokens of a bucket to the waiting requests, until the bucket is empty or no request waits. */
  function serve(key: string, queue: Queue): void {
    while (queue.waiters.length > 0) {
      const taken = take(key, queue.size);
      if (!taken.taken) {
        setTimeout(serve, Math.ceil(taken.waitMs), key, queue);
        return;
      }
      const waiter = queue.waiters.next() as Waiter;
      clearTimeout(waiter.timeout);
      waiter.resolve(taken);
    }
    queues.delete(key);
  }

  function wait(queue: Queue, { party, kind, maxWaitMs }: Turn): Promise<Taken> {
    return new Promise((resolve) => {
      const timeout = setTimeout(() => {
        queue.waiters.remove(party, kind, waiter);
        resolve({ taken: false, waitMs: turnMsOf(queue) });
      }, maxWaitMs);
      const waiter: Waiter = { resolve, timeout };
      queue.waiters.add(party, kind, waiter);
    });
  }

  return {
    takeInTurn(key, size, turn) {
      let queue = queues.get(key);
      if (!queue) {
        const taken = take(key, size);
        if (taken.taken) return taken;
        queue = { size, waiters: createFairQueue() };
        queues.set(key, queue);
        setTimeout(serve, Math.ceil(taken.waitMs), key, queue);
      }
      queue.size = size;
      const waiting = queue.waiters.lengthOf(turn.party, turn.kind);
      const waitMs = queue.waiters.turnsUntil(turn.party, turn.kind) * turnMsOf(queue);
      const isFull = waitMs > turn.maxQueueMs || waiting >= maxWaiting;
      // A request waits even in a full queue if it is the party's only request of its kind. It may be served sooner
      // than calculated, because the parties and kinds that were served longest ago are served first.
      if (waiting > 0 && isFull) return { taken: false, waitMs };
      return wait(queue, turn);
    },
    waitMsOf(key) {
      const queue = queues.get(key);
      return queue ? (queue.waiters.length * 1_000) / queue.size.perSecond : 0;
    },
  };
}

/** Returns the time in which each waiting party gets one token. */
function turnMsOf({ waiters, size }: Queue): number {
  return (Math.max(1, waiters.parties) * 1_000) / size.perSecond;
}
