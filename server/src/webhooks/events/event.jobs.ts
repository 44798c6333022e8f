import type { Clock } from "../../core/clock.ts";
import { firstUuidAt } from "../../core/ids.ts";
import type { Database } from "../../platform/database/database.ts";
import { type Background, type Loop, startLoop } from "../../platform/jobs/loop.ts";
import { eventLifeMs } from "./event.ts";
import { deleteDeliveriesOf, deleteEvents, listOldEvents } from "./event-expiry.sql.ts";

/** The batch is small, so that no other transaction waits for a long deletion. */
const eventBatchSize = 500;

/** Deletes events after 30 days, with their deliveries. An event with a pending delivery is kept. */
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
      const old = await listOldEvents(database.read, before, eventBatchSize);
      if (old.length === 0) return false;
      await database.transaction(async (tx) => {
        await deleteDeliveriesOf(tx, old);
        await deleteEvents(tx, old);
      });
      return old.length === eventBatchSize;
    },
  });
}
