import { type Fragment, fragment, type Sql } from "../database/sql.ts";
import { noSuchParameter } from "../primitives/api-error.ts";
import { type Id, parseId, uuidOf } from "../primitives/ids.ts";
import type { Owner } from "../primitives/owner.ts";

/** What lists are filtered by: the word for it, and where one is kept. */
const kinds = {
  ch: { noun: "charge", table: fragment`charges` },
  cs: { noun: "checkout session", table: fragment`checkout_sessions` },
  cus: { noun: "customer", table: fragment`customers` },
  dp: { noun: "dispute", table: fragment`disputes` },
  evt: { noun: "event", table: fragment`events` },
  pm: { noun: "payment method", table: fragment`payment_methods` },
  po: { noun: "payout", table: fragment`payouts` },
  re: { noun: "refund", table: fragment`operations` },
  rec: { noun: "reconciliation", table: fragment`reconciliations` },
} as const satisfies Record<string, { noun: string; table: Fragment }>;

type Prefix = keyof typeof kinds;

/** The id in a parameter of a list, or 400 for what is no id of this kind. */
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
 * Refuses a list's filter whose id names nothing (contract §3). It is asked only where nothing was found: what was
 * found names it, and so the payments of a customer who is no more can still be listed.
 */
export async function refuseUnknown(
  read: Sql,
  owner: Owner,
  found: readonly unknown[],
  named: Readonly<Record<string, Id<Prefix> | undefined>>,
): Promise<void> {
  if (found.length > 0) return;
  for (const [param, id] of Object.entries(named)) {
    if (id === undefined) continue;
    const { noun, table } = kinds[id.slice(0, id.indexOf("_")) as Prefix];
    const rows = await read`
      select from ${table}
       where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode} and id = ${uuidOf(id)}
    `;
    if (rows.length === 0) throw noSuchParameter(noun, id, param);
  }
}
