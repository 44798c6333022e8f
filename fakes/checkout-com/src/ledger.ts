import { decimalsOf } from "./amount.ts";
import type { Platform } from "./platform.ts";
import type { Movement } from "./records.ts";

export type Fee = { readonly breakdownType: string; readonly amount: number };

/** A movement of money with its fees. */
type Entry = Pick<
  Movement,
  | "account"
  | "channel"
  | "payment"
  | "action"
  | "actionType"
  | "reference"
  | "currency"
  | "requestedAt"
> & {
  /** Null if the action has only fees. */
  readonly breakdownType: string | null;
  readonly amount: number;
  readonly fees: readonly Fee[];
};

/**
 * Appends a movement and its fees to the ledger: one record for each row of the Financial Actions report. The names of
 * action and breakdown types are those of checkout.com/docs/funds-management/retrieve-financial-reports/breakdown-types.
 */
export function record(platform: Platform, entry: Entry): void {
  const { fees, breakdownType, amount, ...shared } = entry;
  const rows = breakdownType === null ? fees : [{ breakdownType, amount }, ...fees];
  const { holding } = platform.account(entry.account);
  const isConverted = holding !== null && holding.currency !== entry.currency;
  const rate = isConverted ? (holding.rates[entry.currency] ?? 1) : 1;
  const holdingCurrency = isConverted ? holding.currency : entry.currency;
  const factor = 10 ** (decimalsOf(holdingCurrency) - decimalsOf(entry.currency)) * rate;
  for (const row of rows) {
    if (row.amount === 0) continue;
    platform.put<Movement>(platform.movements, {
      ...shared,
      ...row,
      id: platform.newId("fa"),
      holdingAmount: Math.round(row.amount * factor),
      holdingCurrency,
      rate,
      processedAt: platform.clock.nowMs(),
      payout: null,
    });
  }
}

/** Returns a fee of five hundredths of the major unit, or of five units of a currency without decimals. */
function fixedFee(currency: string): number {
  return -5 * 10 ** Math.max(decimalsOf(currency) - 2, 0);
}

/** Returns the fee for an authorization. All fees of the fake are examples, because Checkout.com publishes none. */
export function authorizationFees(currency: string): readonly Fee[] {
  return [{ breakdownType: "Authorization Fixed Fee", amount: fixedFee(currency) }];
}

export function cardVerificationFees(currency: string): readonly Fee[] {
  return [{ breakdownType: "Card Verification Fixed Fee", amount: fixedFee(currency) }];
}

/** Returns the fees for a capture under the pricing model Interchange++. */
export function captureFees(amount: number): readonly Fee[] {
  const share = (thousandths: number) => -Math.round((amount * thousandths) / 1000);
  return [
    { breakdownType: "Interchange Fixed Fee", amount: share(3) },
    { breakdownType: "Scheme Variable Fee", amount: share(1) },
    { breakdownType: "Premium Variable Fee", amount: share(5) },
  ];
}

export function refundFees(currency: string): readonly Fee[] {
  return [{ breakdownType: "Refund Fixed Fee", amount: fixedFee(currency) }];
}
