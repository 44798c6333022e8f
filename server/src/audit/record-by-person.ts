import type { Tx } from "../database/sql.ts";
import type { Clock } from "../primitives/clock.ts";
import { actIn } from "./act.ts";
import { recordAct } from "./record-act.ts";

/** What a merchant's server does is in its own books, and may be thousands a second; what people do by hand is written down. */
export async function recordByPerson(
  tx: Tx,
  request: Parameters<typeof actIn>[0] | null,
  act: Parameters<typeof actIn>[1],
  clock: Clock,
): Promise<void> {
  if (request?.actor.kind === "person") await recordAct(tx, actIn(request, act), clock);
}
