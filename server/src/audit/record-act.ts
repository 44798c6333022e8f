import type { Tx } from "../database/sql.ts";
import type { Clock } from "../primitives/clock.ts";
import { newId } from "../primitives/ids.ts";
import { type Act, beforeTheFirst, entryHash, entryText } from "./act.ts";
import { appendEntry, lockHead } from "./audit.sql.ts";

/**
 * Writes down who did what, in the transaction that does it: there is no act without its entry, nor an entry of what
 * was not done. It comes last in the transaction, for it holds the account's other acts up until the commit.
 */
export async function recordAct(tx: Tx, act: Act, clock: Clock): Promise<void> {
  const head = await lockHead(tx, act.account, beforeTheFirst);
  const entry = entryText(newId("log", clock.now()), act);
  const hash = entryHash(head.hash, entry);
  await appendEntry(tx, act.account, { number: head.number + 1, entry, hash });
}
