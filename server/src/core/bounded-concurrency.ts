/**
 * Runs work when a slot is free. Rejects with `Overloaded` when the queue is full, and with the signal's reason when
 * the signal is aborted while the work is queued.
 */
export type BoundedConcurrency = <Result>(
  work: () => Promise<Result>,
  signal?: AbortSignal,
) => Promise<Result>;

export class Overloaded extends Error {
  override name = "Overloaded";
}

export function boundConcurrency(limits: {
  readonly maxRunning: number;
  readonly maxWaiting: number;
}): BoundedConcurrency {
  // A set keeps its entries in the order of insertion, and an aborted entry can be removed from any position.
  const waiting = new Set<() => void>();
  let running = 0;

  function waitForSlot(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        waiting.delete(start);
        reject(signal?.reason);
      };
      waiting.add(start);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }

  return async (work, signal) => {
    signal?.throwIfAborted();
    if (running < limits.maxRunning) running++;
    else if (waiting.size >= limits.maxWaiting) throw new Overloaded("The queue is full.");
    else await waitForSlot(signal);
    try {
      return await work();
    } finally {
      // The next waiter takes over this slot.
      const [next] = waiting;
      if (next) {
        waiting.delete(next);
        next();
      } else running--;
    }
  };
}
