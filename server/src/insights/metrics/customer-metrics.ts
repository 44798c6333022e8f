import type { CustomerMetrics } from "@florin/contract/metrics.ts";
import { type CustomerId, createdSeconds, idFromUuid } from "../../core/ids.ts";
import type { CustomerPayments } from "./customer-metrics.sql.ts";

/**
 * Returns the figures of each customer from its payments in each currency. `cards` is null if the numbers of saved
 * cards may not be shown.
 */
export function figuresOfCustomers(
  customers: readonly CustomerId[],
  payments: readonly CustomerPayments[],
  cards: ReadonlyMap<CustomerId, number> | null,
): CustomerMetrics["data"] {
  const byCustomer = Map.groupBy(payments, ({ customer }) => customer);
  return customers.map((customer) => {
    const rows = byCustomer.get(customer) ?? [];
    const newest = rows
      .map((row) => row.newest)
      .toSorted()
      .at(-1);
    return {
      customer_id: customer,
      payments: rows.reduce((sum, row) => sum + row.payments, 0),
      succeeded: rows.reduce((sum, row) => sum + row.succeeded, 0),
      spend: rows
        .filter(({ spendMinor }) => spendMinor > 0)
        .map(({ currency, spendMinor }) => ({ currency, amount: spendMinor }))
        .toSorted((one, other) => other.amount - one.amount),
      last_payment: newest === undefined ? null : createdSeconds(idFromUuid("ch", newest)),
      cards: cards && (cards.get(customer) ?? 0),
    };
  });
}
