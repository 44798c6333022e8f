import { setTimeout as sleep } from "node:timers/promises";

/** Something that runs again and again, later than the request that caused it. */
export type Loop = {
  /** Looks for work now instead of at the next turn. Calls while it works are one more turn, not many. */
  wake(): void;
  /** Lets the turn that is running finish, and starts no other. */
  stop(): Promise<void>;
};

export type LoopOptions = {
  readonly name: string;
  /** How long to wait when there was nothing more to do. */
  readonly everyMs: number;
  /** One turn; true, or how much was done, means that there may be more and the next turn follows at once. */
  readonly work: (signal: AbortSignal) => Promise<number | boolean>;
  readonly onError: (name: string, error: unknown) => void;
  /** The longest pause after failed turns. */
  readonly longestPauseMs?: number;
};

/** After a failed turn the loop waits this long, and twice as long after each further one. */
const firstPauseMs = 100;
const usualLongestPauseMs = 10_000;

/** A failed turn is reported and tried again later: nothing but `stop` ends a loop. */
export function startLoop(options: LoopOptions): Loop {
  const { name, everyMs, work, onError, longestPauseMs = usualLongestPauseMs } = options;
  const stopping = new AbortController();
  let woken = false;
  /** Ends the rest that is under way. Called for every settlement, so it costs next to nothing. */
  let ring: (() => void) | null = null;

  async function run(): Promise<void> {
    let pauseMs = firstPauseMs;
    while (!stopping.signal.aborted) {
      woken = false;
      try {
        const more = await work(stopping.signal);
        pauseMs = firstPauseMs;
        if (!more && !woken) await rest();
      } catch (error) {
        onError(name, error);
        // Deaf to `wake`: while the database is away, every settlement would ring.
        await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
        pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      }
    }
  }

  function rest(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(end, everyMs);
      ring = end;
      function end(): void {
        clearTimeout(timer);
        ring = null;
        resolve();
      }
      if (stopping.signal.aborted) end();
    });
  }

  const running = run();
  return {
    wake() {
      woken = true;
      ring?.();
    },
    stop() {
      stopping.abort();
      ring?.();
      return running;
    },
  };
}
