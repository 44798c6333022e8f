import { setTimeout as sleep } from "node:timers/promises";

/** While Postgres is away or recovers everything fails: it is tried again, for ten seconds if not said otherwise. */
export async function persistently<Value>(
  work: () => Promise<Value>,
  { tries = 100, everyMs = 100 } = {},
): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === tries) throw error;
      await sleep(everyMs);
    }
  }
}
