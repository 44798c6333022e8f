import { uuidOf } from "../core/ids.ts";
import type { Scope } from "../core/scope.ts";
import { rowsOfEachScope } from "../platform/database/each-scope.ts";
import { fragment, type Sql, type Tx } from "../platform/database/sql.ts";
import type { Incoming } from "./settlement.sql.ts";

/** The properties of charges by which approvals and costs are grouped, for a query on `charges c`. */
export const chargeTraits = fragment`
  c.assignment_id,
  coalesce(c.card->'networks'->>'preferred', c.card->>'brand') as network,
  coalesce(c.card->>'country', c.acquirer_details->>'issuerCountry') as country`;

/** Replaces the costs of a day by the fees of the captured payments in its settlement file. */
export async function replaceCosts(tx: Tx, { scope, file, day }: Incoming): Promise<void> {
  const account = uuidOf(scope.account);
  await tx`
    delete from settlement_costs
     where account_id = ${account} and livemode = ${scope.livemode} and day = ${day}
  `;
  await tx`
    insert into settlement_costs (
      account_id, livemode, day, place, assignment_id, network, country, currency, payments, amount, fee
    )
    select ${account}, ${scope.livemode}, ${day}, row_number() over (), t.*
      from (
        select ${chargeTraits}, l.currency, count(distinct c.id)::integer, sum(l.amount)::bigint, sum(l.fee)::bigint
          from settlement_lines l
          join charges c on c.account_id = l.account_id and c.livemode = l.livemode and c.id = l.subject
         where l.account_id = ${account} and l.livemode = ${scope.livemode} and l.file_id = ${file}
           and l.noun = 'charge' and l.type = 'capture'
         group by 1, 2, 3, 4
      ) as t
  `;
}

export type CostFilter = {
  readonly assignment?: string | null | undefined;
  readonly network?: string | undefined;
  readonly country?: string | undefined;
};

/** The fees over one connection in one currency. If `network` is null, the row is the sum of all networks. */
export type CostRow = {
  readonly assignment_id: string | null;
  readonly network: string | null;
  readonly currency: string;
  readonly payments: number;
  readonly amount: number;
  readonly fee: number;
};

/**
 * Returns the costs of the days from `days.from` to `days.to`, both included. Groups them by connection, and by
 * connection and network.
 */
export function readCosts(
  read: Sql,
  scope: Scope,
  days: { readonly from: string; readonly to: string },
  { assignment, network, country }: CostFilter,
): Promise<readonly CostRow[]> {
  return read<CostRow>`
    select assignment_id, network, currency, sum(payments)::integer as payments, sum(amount)::bigint as amount,
           sum(fee)::bigint as fee
      from settlement_costs
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       and day between ${days.from} and ${days.to}
       ${assignment === undefined ? fragment`` : fragment`and assignment_id is not distinct from ${assignment}`}
       ${network === undefined ? fragment`` : fragment`and network = ${network}`}
       ${country === undefined ? fragment`` : fragment`and country = ${country}`}
     group by grouping sets ((assignment_id, currency), (assignment_id, network, currency))
     order by payments desc, assignment_id, network nulls first, currency
  `;
}

/** Deletes up to `limit` costs of days before `before`. Returns the number deleted. */
export async function deleteOldCosts(tx: Tx, before: string, limit: number): Promise<number> {
  const oldRows = fragment`
    select account_id, livemode, day, place
      from settlement_costs
     where account_id = a.id and livemode = mode.livemode and day < ${before}`;
  const rows = await tx`
    delete from settlement_costs c
     using (${rowsOfEachScope(oldRows, limit)}) old
     where c.account_id = old.account_id and c.livemode = old.livemode and c.day = old.day and c.place = old.place
    returning c.day
  `;
  return rows.length;
}
