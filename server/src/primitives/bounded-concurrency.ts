/** Runs work when a place is free. Rejects with `Overloaded` when too much is waiting already. */
export type BoundedConcurrency = <Result>(work: () => Promise<Result>) => Promise<Result>;

export class Overloaded extends Error {
  override name = "Overloaded";
}

export function boundConcurrency(limits: {
  readonly maxRunning: number;
  readonly maxWaiting: number;
}): BoundedConcurrency {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < limits.maxRunning) running++;
    else if (waiting.length >= limits.maxWaiting) throw new Overloaded("Too much is waiting.");
    else await new Promise<void>((start) => waiting.push(start));
    try {
      return await work();
    } finally {
      // The next in line takes over this place.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
