import { firstOpenHour, measureOn } from "../src/insights/metrics/hourly-metrics.ts";
import { listUnmeasured } from "../src/insights/metrics/metrics.sql.ts";
import type { Shop } from "./shop.ts";

/** Measures all hours that have ended, as the job does. */
export async function measureHours({ app: { database }, clock }: Shop): Promise<void> {
  const now = clock.now();
  for (;;) {
    const left = await listUnmeasured(database.read, firstOpenHour(now));
    if (left.length === 0) return;
    for (const { scope, hour } of left) {
      await database.transaction((tx) => measureOn(tx, scope, hour, now));
    }
  }
}
