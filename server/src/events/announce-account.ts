import assert from "node:assert/strict";
import { readAccount } from "../accounts/account.sql.ts";
import { accountObject } from "../accounts/account.ts";
import type { Tx } from "../database/sql.ts";
import { type AccountId, newId } from "../primitives/ids.ts";
import { insertEvent } from "./event.sql.ts";
import { type EventCause, renderEvent } from "./event.ts";

/**
 * Tells both modes what the account is now, in the transaction that changed it: before it is approved it has only test
 * endpoints, and afterwards the live ones want to know of a suspension.
 */
export async function announceAccount(
  tx: Tx,
  id: AccountId,
  cause: EventCause | null,
  now: Date,
): Promise<void> {
  const account = await readAccount(tx, id);
  assert(account, `${id} was changed and is not there`);
  for (const livemode of [false, true]) {
    const owner = { account: id, livemode };
    const event = renderEvent({
      id: newId("evt", now),
      type: "account.updated",
      owner,
      cause,
      objectId: id,
      object: JSON.stringify(accountObject(account, livemode)),
    });
    await insertEvent(tx, owner, event);
  }
}
