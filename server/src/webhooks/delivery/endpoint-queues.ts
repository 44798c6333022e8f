/**
 * Holds work that has no outcome yet, in a queue per endpoint. A queue's window is the maximum number of requests in
 * flight to its endpoint. The window halves with each failure and grows by one with each success, so that an
 * unreachable endpoint soon has only one request in flight. Requests in flight are also limited per account and in
 * total.
 */
export type EndpointQueues<Work> = {
  add(position: QueuePosition, work: Work): void;
  /** Returns how many more deliveries may be claimed for each endpoint that has a queue. */
  capacities(): { readonly endpoint: string; readonly capacity: number }[];
  /** Returns the accounts that hold all of their share, so that nothing more may be claimed for them. */
  fullAccounts(): string[];
  /** Returns whether an endpoint has capacity for a delivery that was inserted with a lease. */
  hasCapacity(endpoint: string): boolean;
  /** Returns the number of work items that are waiting or in flight. */
  held(): number;
  /**
   * Removes and returns the work items that have not begun, of one endpoint or, without an argument, of all endpoints.
   */
  drain(endpoint?: string): Work[];
  /** Resolves when nothing is in flight. */
  idle(): Promise<void>;
};

export type QueuePosition = {
  readonly endpoint: string;
  readonly account: string;
  /** Work items of one queue with the same value run one after another, in the order in which they were added. */
  readonly inOrderWith: string | null;
};

export type EndpointQueueOptions<Work> = {
  /**
   * The maximum number of work items over all endpoints. An account may hold at most as many work items as the
   * remaining free capacity. One account can therefore use half of the capacity, and several accounts with slow
   * endpoints always leave some of it to others.
   */
  readonly maxHeld: number;
  /** The maximum number of requests in flight to all endpoints. Failing endpoints together may use half of it. */
  readonly maxInFlight: number;
  readonly maxInFlightPerAccount: number;
  readonly maxInFlightPerEndpoint: number;
  /**
   * The maximum for an endpoint that responds quickly. Its throughput is limited by this process and not by the
   * endpoint.
   */
  readonly maxInFlightPerFastEndpoint: number;
  /** Returns true after a success, false after a failure, null when no request was sent. Must not throw. */
  readonly send: (work: Work) => Promise<boolean | null>;
  /** Called when a queue has capacity for more claimed deliveries. */
  readonly onCapacity: () => void;
};

type Waiting<Work> = { readonly work: Work; readonly inOrderWith: string | null };

type EndpointQueue<Work> = {
  readonly account: string;
  window: number;
  failing: boolean;
  inFlight: number;
  waiting: Waiting<Work>[];
  /** The `inOrderWith` values in flight, for which later work items wait. */
  readonly inOrder: Set<string>;
  /** A moving average of the response times. */
  responseMs: number;
};

/**
 * A claim covers the deliveries that an endpoint accepts in about this time, so that its queue is not empty before the
 * next claim.
 */
const claimedAheadMs = 500;

/**
 * Deliveries that were inserted with a lease may wait for up to this time. This time is far shorter than a lease, so
 * that the lease does not expire in the queue.
 */
const directAheadMs = 5_000;

/** The maximum length of a queue. The minimum is its window. */
const maxQueueLength = 2_048;

/** An endpoint whose average response time is below this gets a larger window. */
const fastResponseMs = 100;

/** The assumed response time before the first response. */
const defaultResponseMs = 50;

/** The number of queues above which empty queues are deleted. */
const maxQueues = 1_000;

export function createEndpointQueues<Work>(
  options: EndpointQueueOptions<Work>,
): EndpointQueues<Work> {
  const { maxHeld, maxInFlight, maxInFlightPerAccount, send, onCapacity } = options;
  const { maxInFlightPerEndpoint, maxInFlightPerFastEndpoint } = options;
  const queues = new Map<string, EndpointQueue<Work>>();
  /** Queues that may have something to send, in round-robin order. */
  const ready = new Set<EndpointQueue<Work>>();
  /** Queues that wait because their account, or all failing endpoints together, are at a limit. */
  const parked = new Set<EndpointQueue<Work>>();
  const inFlightOf = new Map<string, number>();
  /** The number of work items of each account that are waiting or in flight. */
  const heldOf = new Map<string, number>();
  let inFlight = 0;
  let failingInFlight = 0;
  let waiting = 0;
  let whenIdle: (() => void)[] = [];

  function queueFor({ endpoint, account }: QueuePosition): EndpointQueue<Work> {
    let queue = queues.get(endpoint);
    if (!queue) {
      queue = {
        account,
        window: maxInFlightPerEndpoint,
        failing: false,
        inFlight: 0,
        waiting: [],
        inOrder: new Set(),
        responseMs: defaultResponseMs,
      };
      queues.set(endpoint, queue);
      if (queues.size > maxQueues) forgetEmpty(endpoint);
    }
    return queue;
  }

  function forgetEmpty(except: string): void {
    for (const [endpoint, queue] of queues) {
      if (endpoint !== except && queue.inFlight + queue.waiting.length === 0)
        queues.delete(endpoint);
    }
  }

  function depth({ window, failing, responseMs }: EndpointQueue<Work>, aheadMs: number): number {
    if (failing) return window;
    const ahead = Math.round((window * aheadMs) / Math.max(responseMs, 1));
    return Math.min(Math.max(ahead, window), maxQueueLength);
  }

  /** Returns how many more work items an account may hold. */
  const shareLeft = (account: string): number =>
    Math.max(0, maxHeld - inFlight - waiting - (heldOf.get(account) ?? 0));

  function capacityOf(queue: EndpointQueue<Work>, aheadMs = claimedAheadMs): number {
    const ofEndpoint = depth(queue, aheadMs) - queue.inFlight - queue.waiting.length;
    return Math.max(0, Math.min(ofEndpoint, shareLeft(queue.account)));
  }

  function countHeld(account: string, by: number): void {
    const held = (heldOf.get(account) ?? 0) + by;
    if (held === 0) heldOf.delete(account);
    else heldOf.set(account, held);
  }

  /** Returns whether the account has reached its limit, or all failing endpoints together have reached theirs. */
  function isAtSharedLimit(queue: EndpointQueue<Work>): boolean {
    if ((inFlightOf.get(queue.account) ?? 0) >= maxInFlightPerAccount) return true;
    return queue.failing && failingInFlight >= maxInFlight / 2;
  }

  /**
   * Runs one work item from each queue in turn. A queue whose window is full becomes `ready` again when one of its
   * requests ends.
   */
  function pump(): void {
    while (inFlight < maxInFlight) {
      const [queue] = ready;
      if (!queue) break;
      ready.delete(queue);
      if (isAtSharedLimit(queue)) {
        parked.add(queue);
        continue;
      }
      const next = queue.inFlight < queue.window ? takeNext(queue) : null;
      if (!next) continue;
      void run(queue, next);
      if (queue.waiting.length > 0) ready.add(queue);
    }
  }

  /** Removes and returns the first work item that need not wait for an earlier one. */
  function takeNext(queue: EndpointQueue<Work>): Waiting<Work> | null {
    const { waiting: items, inOrder } = queue;
    const index = items.findIndex((one) => !one.inOrderWith || !inOrder.has(one.inOrderWith));
    if (index < 0) return null;
    return index === 0 ? (items.shift() ?? null) : (items.splice(index, 1)[0] ?? null);
  }

  async function run(
    queue: EndpointQueue<Work>,
    { work, inOrderWith }: Waiting<Work>,
  ): Promise<void> {
    const begunFailing = queue.failing;
    const begunAt = performance.now();
    count(queue, 1, begunFailing);
    waiting--;
    if (inOrderWith) queue.inOrder.add(inOrderWith);
    const success = await send(work);
    if (inOrderWith) queue.inOrder.delete(inOrderWith);
    count(queue, -1, begunFailing);
    countHeld(queue.account, -1);
    if (success !== null) updateWindow(queue, success, performance.now() - begunAt);

    if (queue.waiting.length > 0) ready.add(queue);
    for (const other of parked) ready.add(other);
    parked.clear();
    pump();
    if (capacityOf(queue) * 2 >= depth(queue, claimedAheadMs)) onCapacity();
    if (inFlight === 0) {
      for (const resolve of whenIdle) resolve();
      whenIdle = [];
    }
  }

  function count(queue: EndpointQueue<Work>, by: 1 | -1, failing: boolean): void {
    inFlight += by;
    queue.inFlight += by;
    if (failing) failingInFlight += by;
    const ofAccount = (inFlightOf.get(queue.account) ?? 0) + by;
    if (ofAccount === 0) inFlightOf.delete(queue.account);
    else inFlightOf.set(queue.account, ofAccount);
  }

  function updateWindow(queue: EndpointQueue<Work>, success: boolean, tookMs: number): void {
    queue.failing = !success;
    queue.responseMs += (tookMs - queue.responseMs) / 8;
    const maxInFlight =
      queue.responseMs <= fastResponseMs ? maxInFlightPerFastEndpoint : maxInFlightPerEndpoint;
    queue.window = success
      ? Math.min(queue.window + 1, maxInFlight)
      : Math.max(Math.min(queue.window, maxInFlight) >> 1, 1);
  }

  return {
    add(position, work) {
      const queue = queueFor(position);
      queue.waiting.push({ work, inOrderWith: position.inOrderWith });
      waiting++;
      countHeld(queue.account, 1);
      ready.add(queue);
      pump();
    },
    capacities: () =>
      [...queues].map(([endpoint, queue]) => ({ endpoint, capacity: capacityOf(queue) })),
    fullAccounts: () => [...heldOf.keys()].filter((account) => shareLeft(account) === 0),
    hasCapacity(endpoint) {
      const queue = queues.get(endpoint);
      return !queue || capacityOf(queue, directAheadMs) > 0;
    },
    held: () => inFlight + waiting,
    drain(endpoint) {
      const chosen = endpoint === undefined ? [...queues.values()] : [queues.get(endpoint)];
      const drained = chosen.flatMap((queue) => {
        const removed = queue?.waiting.splice(0) ?? [];
        if (queue) countHeld(queue.account, -removed.length);
        return removed;
      });
      waiting -= drained.length;
      return drained.map(({ work }) => work);
    },
    idle() {
      if (inFlight === 0) return Promise.resolve();
      return new Promise((resolve) => {
        whenIdle.push(resolve);
      });
    },
  };
}
