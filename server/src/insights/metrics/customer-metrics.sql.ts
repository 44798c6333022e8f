import { type CustomerId, idFromUuid, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { Sql } from "../../platform/database/sql.ts";

/**
 * The maximum number of payments that are counted for one customer. It limits the cost of a customer with many
 * payments.
 */
const maxPayments = 1_000;

/** The payments of one customer in one currency. */
export type CustomerPayments = {
  readonly customer: CustomerId;
  readonly currency: string;
  readonly payments: number;
  readonly succeeded: number;
  readonly spendMinor: number;
  /** The UUID of the newest payment. */
  readonly newest: string;
};

export async function readPaymentsOfCustomers(
  read: Sql,
  scope: Scope,
  customers: readonly CustomerId[],
): Promise<CustomerPayments[]> {
  const rows = await read<Omit<CustomerPayments, "customer"> & { customer_id: string }>`
    select wanted.id as customer_id, charge.currency, count(*)::integer as payments,
           (count(*) filter (where charge.status = 'succeeded'))::integer as succeeded,
           sum(charge.amount_captured - charge.amount_refunded - charge.amount_disputed)::bigint as "spendMinor",
           max(charge.id::text) as newest
      from unnest(${customers.map(uuidOf)}::uuid[]) as wanted (id)
     cross join lateral (
       select id, currency, status, amount_captured, amount_refunded, amount_disputed
         from charges
        where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
          and customer_id = wanted.id
        order by id desc
        limit ${maxPayments}
     ) as charge
     group by 1, 2
  `;
  return rows.map(({ customer_id, ...row }) => ({
    ...row,
    customer: idFromUuid("cus", customer_id),
  }));
}

/** Returns the number of saved cards of each customer that has at least one. */
export async function countCardsOfCustomers(
  read: Sql,
  scope: Scope,
  customers: readonly CustomerId[],
): Promise<ReadonlyMap<CustomerId, number>> {
  const rows = await read<{ customer_id: string; cards: number }>`
    select customer_id, count(*)::integer as cards
      from payment_methods
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       and customer_id = any (${customers.map(uuidOf)}::uuid[]) and detached_at is null
     group by customer_id
  `;
  return new Map(rows.map(({ customer_id, cards }) => [idFromUuid("cus", customer_id), cards]));
}
