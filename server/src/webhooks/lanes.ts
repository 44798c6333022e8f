/**
 * What is claimed and not yet answered, a lane for each endpoint. An endpoint earns its share by answering: its
 * window opens by one with each success and halves with each failure, so that a fast endpoint gets all that the
 * machine can send, and a dead one holds a single place while it makes others wait for nothing.
 */
export type Lanes<Work> = {
  add(key: string, work: Work): void;
  /** How much more may be claimed for each endpoint that has a lane. */
  rooms(): { readonly key: string; readonly room: number }[];
  /** Everything that is held: waiting or in flight. */
  held(): number;
  /** Takes back what waits and has not begun. */
  drain(): Work[];
  /** Resolves when nothing is in flight. */
  idle(): Promise<void>;
};

export type LaneOptions<Work> = {
  /** Over all endpoints. */
  readonly mostInFlight: number;
  readonly firstWindow: number;
  readonly largestWindow: number;
  /** True when the endpoint did its part, null when it was not asked. It must not throw. */
  readonly send: (work: Work) => Promise<boolean | null>;
  /** A lane has emptied enough that more should be claimed for it. */
  readonly onRoom: () => void;
};

type Lane<Work> = {
  readonly key: string;
  window: number;
  failing: boolean;
  inFlight: number;
  waiting: Work[];
};

/** How many windows are claimed ahead, so that a fast endpoint never waits for the next claim. */
const windowsAhead = 8;

/** Lanes that are empty are forgotten once there are more than this many. */
const mostLanes = 1_000;

export function openLanes<Work>(options: LaneOptions<Work>): Lanes<Work> {
  const { mostInFlight, firstWindow, largestWindow, send, onRoom } = options;
  const lanes = new Map<string, Lane<Work>>();
  /** Lanes that have something to send, in turn. */
  const ready = new Set<Lane<Work>>();
  let inFlight = 0;
  let waiting = 0;
  let whenIdle: (() => void)[] = [];

  function laneFor(key: string): Lane<Work> {
    let lane = lanes.get(key);
    if (!lane) {
      lane = { key, window: firstWindow, failing: false, inFlight: 0, waiting: [] };
      lanes.set(key, lane);
      if (lanes.size > mostLanes) forgetEmpty(lane);
    }
    return lane;
  }

  function forgetEmpty(except: Lane<Work>): void {
    for (const lane of lanes.values()) {
      if (lane !== except && lane.inFlight + lane.waiting.length === 0) lanes.delete(lane.key);
    }
  }

  const depth = (lane: Lane<Work>): number => lane.window * (lane.failing ? 1 : windowsAhead);
  const roomIn = (lane: Lane<Work>): number =>
    Math.max(0, depth(lane) - lane.inFlight - lane.waiting.length);

  /** One from each lane in turn. A lane whose window is full comes back when one of its own is answered. */
  function pump(): void {
    while (inFlight < mostInFlight) {
      const [lane] = ready;
      if (!lane) break;
      ready.delete(lane);
      const work = lane.inFlight < lane.window ? lane.waiting.shift() : undefined;
      if (work === undefined) continue;
      void run(lane, work);
      if (lane.waiting.length > 0) ready.add(lane);
    }
  }

  async function run(lane: Lane<Work>, work: Work): Promise<void> {
    waiting--;
    inFlight++;
    lane.inFlight++;
    const success = await send(work);
    inFlight--;
    lane.inFlight--;
    if (success !== null) {
      lane.failing = !success;
      lane.window = success
        ? Math.min(lane.window + 1, largestWindow)
        : Math.max(lane.window >> 1, 1);
    }
    if (lane.waiting.length > 0) ready.add(lane);
    pump();
    if (roomIn(lane) * 2 >= depth(lane)) onRoom();
    if (inFlight === 0) {
      for (const resolve of whenIdle) resolve();
      whenIdle = [];
    }
  }

  return {
    add(key, work) {
      const lane = laneFor(key);
      lane.waiting.push(work);
      waiting++;
      ready.add(lane);
      pump();
    },
    rooms: () => [...lanes.values()].map((lane) => ({ key: lane.key, room: roomIn(lane) })),
    held: () => inFlight + waiting,
    drain() {
      const drained = [...lanes.values()].flatMap((lane) => lane.waiting.splice(0));
      waiting = 0;
      ready.clear();
      return drained;
    },
    idle() {
      if (inFlight === 0) return Promise.resolve();
      return new Promise((resolve) => {
        whenIdle.push(resolve);
      });
    },
  };
}
