/**
 * Holds claimed deliveries that have no outcome yet, in a queue per endpoint. A queue's window is the number of
 * requests that may be in flight to its endpoint. It halves with each failure and grows by one with each success, so
 * that an unreachable endpoint occupies a single place. Requests in flight are also limited per account and in total.
 */
export type Lanes<Work> = {
  add(place: Place, work: Work): void;
  /** Returns how many more deliveries may be claimed for each endpoint that has a queue. */
  rooms(): { readonly endpoint: string; readonly room: number }[];
  /** Returns whether an endpoint, also one without a queue, has capacity for work that needs no claim. */
  hasRoom(endpoint: string): boolean;
  /** Returns the number of works that are waiting or in flight. */
  held(): number;
  /** Removes and returns the works that have not begun, of all endpoints or of one. */
  drain(endpoint?: string): Work[];
  /** Resolves when nothing is in flight. */
  idle(): Promise<void>;
};

export type Place = {
  readonly endpoint: string;
  readonly account: string;
  /** Works of one queue with the same value are run one after another, in the order in which they were added. */
  readonly inOrderWith: string | null;
};

export type LaneOptions<Work> = {
  /** The maximum over all endpoints. All failing endpoints together get half of it. */
  readonly mostInFlight: number;
  readonly mostInFlightPerAccount: number;
  readonly mostInFlightPerEndpoint: number;
  /** For an endpoint that responds quickly, where this process is the bottleneck. */
  readonly mostInFlightPerQuickEndpoint: number;
  /** Returns true after a success, false after a failure, null when no request was sent. Must not throw. */
  readonly send: (work: Work) => Promise<boolean | null>;
  /** Called when a queue has capacity for more claimed deliveries. */
  readonly onRoom: () => void;
};

type Waiting<Work> = { readonly work: Work; readonly inOrderWith: string | null };

type Lane<Work> = {
  readonly account: string;
  window: number;
  failing: boolean;
  inFlight: number;
  waiting: Waiting<Work>[];
  /** The `inOrderWith` values in flight, for which later works wait. */
  readonly inOrder: Set<string>;
  /** A moving average. */
  answerMs: number;
};

/**
 * Claims cover the deliveries that an endpoint accepts in about this time, so that its queue never waits for a claim.
 */
const claimedAheadMs = 500;

/**
 * Deliveries without a claim may wait longer. It is far less than a lease, because they are released when that runs
 * out.
 */
const handedAheadMs = 5_000;

/** The maximum length of a queue. The minimum is its window. */
const mostAhead = 2_048;

/** An endpoint whose average response time is below this gets a larger window. */
const quickMs = 100;

/** The assumed response time before the first response. */
const usualAnswerMs = 50;

/** Empty queues are deleted when there are more than this many. */
const mostLanes = 1_000;

export function openLanes<Work>(options: LaneOptions<Work>): Lanes<Work> {
  const { mostInFlight, mostInFlightPerAccount, send, onRoom } = options;
  const { mostInFlightPerEndpoint, mostInFlightPerQuickEndpoint } = options;
  const lanes = new Map<string, Lane<Work>>();
  /** Queues that may have something to send, in round-robin order. */
  const ready = new Set<Lane<Work>>();
  /** Queues that wait for others of their account, or for other failing endpoints. */
  const parked = new Set<Lane<Work>>();
  const inFlightOf = new Map<string, number>();
  let inFlight = 0;
  let failingInFlight = 0;
  let waiting = 0;
  let whenIdle: (() => void)[] = [];

  function laneFor({ endpoint, account }: Place): Lane<Work> {
    let lane = lanes.get(endpoint);
    if (!lane) {
      lane = {
        account,
        window: mostInFlightPerEndpoint,
        failing: false,
        inFlight: 0,
        waiting: [],
        inOrder: new Set(),
        answerMs: usualAnswerMs,
      };
      lanes.set(endpoint, lane);
      if (lanes.size > mostLanes) forgetEmpty(endpoint);
    }
    return lane;
  }

  function forgetEmpty(except: string): void {
    for (const [endpoint, lane] of lanes) {
      if (endpoint !== except && lane.inFlight + lane.waiting.length === 0) lanes.delete(endpoint);
    }
  }

  function depth({ window, failing, answerMs }: Lane<Work>, aheadMs: number): number {
    if (failing) return window;
    const ahead = Math.round((window * aheadMs) / Math.max(answerMs, 1));
    return Math.min(Math.max(ahead, window), mostAhead);
  }

  const roomIn = (lane: Lane<Work>, aheadMs = claimedAheadMs): number =>
    Math.max(0, depth(lane, aheadMs) - lane.inFlight - lane.waiting.length);

  /** Returns whether the account or the share of failing endpoints is at its limit. */
  function isHeldUp(lane: Lane<Work>): boolean {
    if ((inFlightOf.get(lane.account) ?? 0) >= mostInFlightPerAccount) return true;
    return lane.failing && failingInFlight >= mostInFlight / 2;
  }

  /**
   * Runs one work from each queue in turn. A queue whose window is full is added again when one of its requests ends.
   */
  function pump(): void {
    while (inFlight < mostInFlight) {
      const [lane] = ready;
      if (!lane) break;
      ready.delete(lane);
      if (isHeldUp(lane)) {
        parked.add(lane);
        continue;
      }
      const next = lane.inFlight < lane.window ? takeNext(lane) : null;
      if (!next) continue;
      void run(lane, next);
      if (lane.waiting.length > 0) ready.add(lane);
    }
  }

  /** Returns the first work that need not wait for an earlier one. */
  function takeNext(lane: Lane<Work>): Waiting<Work> | null {
    const { waiting: queue, inOrder } = lane;
    const index = queue.findIndex((one) => !one.inOrderWith || !inOrder.has(one.inOrderWith));
    if (index < 0) return null;
    return index === 0 ? (queue.shift() ?? null) : (queue.splice(index, 1)[0] ?? null);
  }

  async function run(lane: Lane<Work>, { work, inOrderWith }: Waiting<Work>): Promise<void> {
    const begunFailing = lane.failing;
    const begunAt = performance.now();
    count(lane, 1, begunFailing);
    waiting--;
    if (inOrderWith) lane.inOrder.add(inOrderWith);
    const success = await send(work);
    if (inOrderWith) lane.inOrder.delete(inOrderWith);
    count(lane, -1, begunFailing);
    if (success !== null) learn(lane, success, performance.now() - begunAt);

    if (lane.waiting.length > 0) ready.add(lane);
    for (const other of parked) ready.add(other);
    parked.clear();
    pump();
    if (roomIn(lane) * 2 >= depth(lane, claimedAheadMs)) onRoom();
    if (inFlight === 0) {
      for (const resolve of whenIdle) resolve();
      whenIdle = [];
    }
  }

  function count(lane: Lane<Work>, by: 1 | -1, failing: boolean): void {
    inFlight += by;
    lane.inFlight += by;
    if (failing) failingInFlight += by;
    const ofAccount = (inFlightOf.get(lane.account) ?? 0) + by;
    if (ofAccount === 0) inFlightOf.delete(lane.account);
    else inFlightOf.set(lane.account, ofAccount);
  }

  function learn(lane: Lane<Work>, success: boolean, tookMs: number): void {
    lane.failing = !success;
    lane.answerMs += (tookMs - lane.answerMs) / 8;
    const largest =
      lane.answerMs <= quickMs ? mostInFlightPerQuickEndpoint : mostInFlightPerEndpoint;
    lane.window = success
      ? Math.min(lane.window + 1, largest)
      : Math.max(Math.min(lane.window, largest) >> 1, 1);
  }

  return {
    add(place, work) {
      const lane = laneFor(place);
      lane.waiting.push({ work, inOrderWith: place.inOrderWith });
      waiting++;
      ready.add(lane);
      pump();
    },
    rooms: () => [...lanes].map(([endpoint, lane]) => ({ endpoint, room: roomIn(lane) })),
    hasRoom(endpoint) {
      const lane = lanes.get(endpoint);
      return !lane || roomIn(lane, handedAheadMs) > 0;
    },
    held: () => inFlight + waiting,
    drain(endpoint) {
      const chosen = endpoint === undefined ? [...lanes.values()] : [lanes.get(endpoint)];
      const drained = chosen.flatMap((lane) => lane?.waiting.splice(0) ?? []);
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
