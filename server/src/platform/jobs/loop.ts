import type { Timers } from "../../core/timers.ts";

/** Background work that runs repeatedly, outside the requests that cause it. */
export type Loop = {
  /**
   * Starts the next turn immediately, except during the backoff after a failed turn. All calls during one turn cause
   * only one more turn.
   */
  wake(): void;
  /** Waits for the running turn to finish. No other turn starts. */
  stop(): Promise<void>;
};

/** The dependencies that all loops of a process share. */
export type Background = {
  readonly timers: Timers;
  /** Reports a failed turn. The loop retries it. */
  readonly onError: (name: string, error: unknown) => void;
};

export type LoopOptions = {
  readonly name: string;
  /** The waiting time after a turn that left no work. */
  readonly everyMs: number;
  /**
   * Runs one turn. A result of true, or of a count above 0, means that there may be more work, and starts the next turn
   * immediately.
   */
  readonly work: (signal: AbortSignal) => Promise<number | boolean>;
  readonly background: Background;
  /** The maximum backoff after failed turns. */
  readonly maxBackoffMs?: number;
};

/** The backoff after a failed turn. It doubles with each consecutive failure. */
const firstBackoffMs = 100;
const defaultMaxBackoffMs = 10_000;

/**
 * Starts a loop. The first turn also starts from a timer, so this function returns before any work begins. A failed
 * turn is reported and retried with backoff. Only `stop` ends the loop.
 */
export function startLoop(options: LoopOptions): Loop {
  const { name, everyMs, work, background, maxBackoffMs = defaultMaxBackoffMs } = options;
  const stopping = new AbortController();
  let woken = false;
  /**
   * Ends the current wait when `wake` is called. This function must be cheap, because every charge outcome calls
   * `wake`.
   */
  let endWaitOnWake: (() => void) | null = null;
  /** Ends the current wait, including a backoff, which `wake` does not end. */
  let endWait: (() => void) | null = null;

  async function run(): Promise<void> {
    let backoffMs = firstBackoffMs;
    await wait(0, { endsOnWake: true });
    while (!stopping.signal.aborted) {
      woken = false;
      try {
        const more = await work(stopping.signal);
        backoffMs = firstBackoffMs;
        if (!more && !woken) await wait(everyMs, { endsOnWake: true });
      } catch (error) {
        background.onError(name, error);
        // `wake` does not end this wait. Otherwise every charge outcome would start a turn while the database is
        // unavailable.
        await wait(backoffMs, { endsOnWake: false });
        backoffMs = Math.min(backoffMs * 2, maxBackoffMs);
      }
    }
  }

  function wait(delayMs: number, { endsOnWake }: { endsOnWake: boolean }): Promise<void> {
    if (stopping.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = background.timers.after(delayMs, end);
      endWait = end;
      if (endsOnWake) endWaitOnWake = end;
      function end(): void {
        cancel();
        endWaitOnWake = null;
        endWait = null;
        resolve();
      }
    });
  }

  const running = run();
  return {
    wake() {
      woken = true;
      endWaitOnWake?.();
    },
    stop() {
      stopping.abort();
      endWait?.();
      return running;
    },
  };
}
