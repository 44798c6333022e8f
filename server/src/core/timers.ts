/** The waits of the background loops, injected beside the clock so that a test can end them instead of sleeping. */
export type Timers = {
  /** Calls `due` after the delay. The returned function cancels the call. */
  after(delayMs: number, due: () => void): () => void;
};

export const systemTimers: Timers = {
  after(delayMs, due) {
    const timer = setTimeout(due, delayMs);
    return () => clearTimeout(timer);
  },
};
