import type { Clock } from "../../core/clock.ts";
import type { Tx } from "../database/sql.ts";
import { actIn } from "./act.ts";
import { recordAct } from "./record-act.ts";

/**
 * Records an action of a person. Actions of API keys are not recorded: the objects show them, and they may be thousands
 * a second.
 */
export async function recordByPerson(
  tx: Tx,
  request: Parameters<typeof actIn>[0] | null,
  act: Parameters<typeof actIn>[1],
  clock: Clock,
): Promise<void> {
  if (request?.actor.kind === "person") await recordAct(tx, actIn(request, act), clock);
}
