import type { ChargeLedger } from "@florin/contract/timeline.ts";

export type Transfer = ChargeLedger["transfers"][number];

/**
 * Returns the amount with the sign that it has for the merchant: negative if it leaves the balance. A transfer between
 * other accounts has no sign.
 */
export function signedAmount({ debit, amount }: Transfer): number {
  return debit === "merchant_balance" ? -amount : amount;
}

export type Totals = { readonly fees: number; readonly net: number };

/**
 * Returns the fees of a payment and what it adds to the balance after refunds, disputes and fees. Returns null for a
 * payment in several currencies, whose amounts cannot be added.
 */
export function totalsOf(transfers: readonly Transfer[]): Totals | null {
  if (new Set(transfers.map(({ currency }) => currency)).size > 1) return null;
  const sum = (some: readonly Transfer[]) =>
    some.reduce((total, transfer) => total + signedAmount(transfer), 0);
  const ofBalance = transfers.filter(({ debit, credit }) =>
    [debit, credit].includes("merchant_balance"),
  );
  // `fee`, `dispute_fee`, `acquirer_fee` and their returns.
  return { fees: sum(ofBalance.filter(({ kind }) => kind.includes("fee"))), net: sum(ofBalance) };
}
