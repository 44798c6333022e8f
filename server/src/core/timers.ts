/** The timers of the background loops. They are injected, so that a test can fire a timer instead of sleeping. */
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
