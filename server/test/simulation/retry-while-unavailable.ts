import { setTimeout as sleep } from "node:timers/promises";
import { ServerHang } from "./server-hang.ts";

/**
 * Repeats the work after any error except `ServerHang`, for example while Postgres is down or recovering. Tries 100
 * times in about ten seconds by default.
 */
export async function retryWhileUnavailable<Value>(
  work: () => Promise<Value>,
  { tries = 100, everyMs = 100 } = {},
): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === tries || error instanceof ServerHang) throw error;
      await sleep(everyMs);
    }
  }
}
