/**
 * What is claimed and not yet answered, a lane for each endpoint. A lane's window is what may be in flight to its
 * endpoint: it halves with each failure and opens by one with each success, so that a dead endpoint holds a single
 * place while it makes others wait for nothing. What may be in flight is bounded for each account and in all.
 */
export type Lanes<Work> = {
  add(place: Place, work: Work): void;
  /** How much more may be claimed for each endpoint that has a lane. */
  rooms(): { readonly endpoint: string; readonly room: number }[];
  /** Whether an endpoint, also one that has no lane yet, will soon get to work that is at hand without a claim. */
  hasRoom(endpoint: string): boolean;
  /** Everything that is held: waiting or in flight. */
  held(): number;
  /** Takes back what waits and has not begun, for all endpoints or for one. */
  drain(endpoint?: string): Work[];
  /** Resolves when nothing is in flight. */
  idle(): Promise<void>;
};

export type Place = {
  readonly endpoint: string;
  readonly account: string;
  /** Works of one lane with the same text here are begun one after the other, in the order they were added. */
  readonly inOrderWith: string | null;
};

export type LaneOptions<Work> = {
  /** Over all endpoints. Endpoints that fail get half of it, however many they are. */
  readonly mostInFlight: number;
  readonly mostInFlightPerAccount: number;
  readonly mostInFlightPerEndpoint: number;
  /** For one whose answers come at once: there it is this process that is slow. */
  readonly mostInFlightPerQuickEndpoint: number;
  /** True when the endpoint did its part, null when it was not asked. It must not throw. */
  readonly send: (work: Work) => Promise<boolean | null>;
  /** A lane has emptied enough that more should be claimed for it. */
  readonly onRoom: () => void;
};

type Waiting<Work> = { readonly work: Work; readonly inOrderWith: string | null };

type Lane<Work> = {
  readonly account: string;
  window: number;
  failing: boolean;
  inFlight: number;
  waiting: Waiting<Work>[];
  /** What in flight others must wait for. */
  readonly inOrder: Set<string>;
  /** A moving average. */
  answerMs: number;
};

/** As much is claimed as an endpoint answers in about this time, so that its lane never waits for the next claim. */
const claimedAheadMs = 500;

/** What is at hand anyway may wait longer: far less than a lease, since it is handed back when that runs out. */
const handedAheadMs = 5_000;

/** A lane takes at least its window and at most this much. */
const mostAhead = 2_048;

/** The average answer of an endpoint that could do with more at once. */
const quickMs = 100;

/** Until it is known better. */
const usualAnswerMs = 50;

/** Lanes that are empty are forgotten once there are more than this many. */
const mostLanes = 1_000;

export function openLanes<Work>(options: LaneOptions<Work>): Lanes<Work> {
  const { mostInFlight, mostInFlightPerAccount, send, onRoom } = options;
  const { mostInFlightPerEndpoint, mostInFlightPerQuickEndpoint } = options;
  const lanes = new Map<string, Lane<Work>>();
  /** Lanes that may have something to send, in turn. */
  const ready = new Set<Lane<Work>>();
  /** Lanes that wait for others of their account, or for others that fail. */
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

  /** Whether a lane must wait for others than its own. */
  function isHeldUp(lane: Lane<Work>): boolean {
    if ((inFlightOf.get(lane.account) ?? 0) >= mostInFlightPerAccount) return true;
    return lane.failing && failingInFlight >= mostInFlight / 2;
  }

  /** One from each lane in turn. A lane whose window is full comes back when one of its own is answered. */
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

  /** The first that need not wait for one before it. */
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
