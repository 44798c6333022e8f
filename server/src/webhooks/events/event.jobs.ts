import type { Clock } from "../../core/clock.ts";
import { firstUuidAt } from "../../core/ids.ts";
import type { Database } from "../../platform/database/database.ts";
import { type Background, type Loop, startLoop } from "../../platform/jobs/loop.ts";
import { eventLifeMs } from "./event.ts";
import { deleteOldDeliveries, deleteOldEvents } from "./event-expiry.sql.ts";

/** The batch is small, so that no other transaction waits for a long deletion. */
const batchSize = 500;

/**
 * Deletes events after 30 days, with their deliveries, if their week has no partition. An event with a pending delivery
 * is kept. One transaction deletes both, because a resend treats an event without a delivery as never sent.
 */
export function startEventExpiry(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  background: Background,
): Loop {
  return startLoop({
    name: "event expiry",
    everyMs: 60_000,
    background,
    async work() {
      const before = firstUuidAt(new Date(clock.now().getTime() - eventLifeMs));
      return database.transaction(async (tx) => {
        const deliveries = await deleteOldDeliveries(tx, before, batchSize);
        const events = await deleteOldEvents(tx, before, batchSize);
        return deliveries === batchSize || events === batchSize;
      });
    },
  });
}
