import { noSuchParameter } from "../../core/api-error.ts";
import { type Id, parseId, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { type Fragment, fragment, type Sql } from "../database/sql.ts";

/** For each kind of ID that lists filter by, its noun in errors and its table. */
const kinds = {
  ch: { noun: "charge", table: fragment`charges` },
  cs: { noun: "checkout session", table: fragment`checkout_sessions` },
  cus: { noun: "customer", table: fragment`customers` },
  dp: { noun: "dispute", table: fragment`disputes` },
  evt: { noun: "event", table: fragment`events` },
  pm: { noun: "payment method", table: fragment`payment_methods` },
  po: { noun: "payout", table: fragment`payouts` },
  re: { noun: "refund", table: fragment`operations` },
  stl: { noun: "settlement", table: fragment`settlements` },
  rec: { noun: "reconciliation", table: fragment`reconciliations` },
} as const satisfies Record<string, { noun: string; table: Fragment }>;

type Prefix = keyof typeof kinds;

/** Returns the id in a list's parameter, or throws a 400 when it is not an id of this kind. */
export function namedId<P extends Prefix>(
  prefix: P,
  text: string | undefined,
  param: string,
): Id<P> | undefined {
  if (text === undefined) return undefined;
  const id = parseId(prefix, text);
  if (!id) throw noSuchParameter(kinds[prefix].noun, text, param);
  return id;
}

/**
 * Rejects a filter whose id does not exist. The id is checked only when the list is empty, so that the payments of a
 * deleted customer can still be listed.
 */
export async function rejectUnknownFilterIds(
  read: Sql,
  scope: Scope,
  found: readonly unknown[],
  filters: Readonly<Record<string, Id<Prefix> | undefined>>,
): Promise<void> {
  if (found.length > 0) return;
  for (const [param, id] of Object.entries(filters)) {
    if (id === undefined) continue;
    const { noun, table } = kinds[id.slice(0, id.indexOf("_")) as Prefix];
    const rows = await read`
      select from ${table}
       where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
    `;
    if (rows.length === 0) throw noSuchParameter(noun, id, param);
  }
}
