import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { Account as AccountObject } from "@florin/contract/account.ts";
import { newId } from "../../core/ids.ts";
import { readAccount } from "../../identity/accounts/account.sql.ts";
import type { Account } from "../../identity/accounts/account.ts";
import { accountObject } from "../../identity/accounts/account-object.ts";
import type { IsConnected } from "../../identity/accounts/charging.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { type EventCause, renderEvent } from "./event.ts";
import { insertEvent } from "./outbox.sql.ts";

/** The request that changed the account, the time, and the account's connections. */
export type AnnouncedBy = {
  readonly cause: EventCause | null;
  readonly now: Date;
  readonly isConnected: IsConnected;
};

/**
 * Inserts `account.updated` events in the transaction that changed the account, one in each mode whose account object
 * changed. A change to data that both modes share is announced in both modes, because a merchant may have endpoints in
 * only one mode. Returns the changed account.
 */
export async function announceAccount(
  tx: Tx,
  before: Account,
  { cause, now, isConnected }: AnnouncedBy,
): Promise<Account> {
  const { id } = before;
  const account = await readAccount(tx, id);
  assert(account, `${id} was changed but is missing`);
  for (const livemode of [false, true]) {
    const scope = { account: id, livemode };
    const object = accountObject(account, livemode, isConnected);
    const previous = whatChanged(accountObject(before, livemode, isConnected), object);
    if (Object.keys(previous).length === 0) continue;
    const event = renderEvent({
      id: newId("evt", now),
      type: "account.updated",
      scope,
      cause,
      objectId: id,
      object: JSON.stringify(object),
      previous,
    });
    await insertEvent(tx, scope, event);
  }
  return account;
}

function whatChanged(before: AccountObject, after: AccountObject): Partial<AccountObject> {
  const known: Record<string, unknown> = after;
  const changed = Object.entries(before).filter(
    ([field, value]) => !isDeepStrictEqual(value, known[field]),
  );
  return Object.fromEntries(changed);
}
