import { type CurrencyAmounts, defaultAmounts } from "@florin/contract/currency.ts";
import { ApiError } from "../../core/api-error.ts";
import type { Currency, Money } from "../../core/money.ts";
import type { Pricing } from "../../core/pricing.ts";
import type { Account } from "./account.ts";

/**
 * Returns the account's fees and limits in this currency. Values that the operator has not overridden have their
 * defaults.
 */
export function amountsIn({ amounts }: Account, currency: Currency): CurrencyAmounts {
  return { ...defaultAmounts[currency], ...amounts[currency] };
}

/** Returns the account's fees for a payment in this currency. */
export function pricingIn(account: Account, currency: Currency): Pricing {
  const { fixedFee } = amountsIn(account, currency);
  return { basisPoints: account.feeBasisPoints, fixedMinor: fixedFee };
}

/**
 * Rejects a charge outside the account's limits for its currency. Test mode has the limits of live mode, so that a
 * merchant detects violations while testing.
 */
export function rejectChargeAmount(account: Account, price: Money, param = "amount"): void {
  const { minCharge, maxCharge } = amountsIn(account, price.currency);
  const isOwnLimit = account.amounts[price.currency]?.maxCharge !== undefined;
  rejectBelow(price, minCharge, param);
  rejectAbove(price, maxCharge, param, isOwnLimit);
}

/** Rejects a payout outside the account's limits for its currency. */
export function rejectPayoutAmount(account: Account, price: Money): void {
  const { minPayout, maxPayout } = amountsIn(account, price.currency);
  rejectBelow(price, minPayout, "amount");
  rejectAbove(price, maxPayout, "amount", false);
}

function rejectBelow({ amountMinor, currency }: Money, min: number, param: string): void {
  if (amountMinor >= min) return;
  throw new ApiError(
    "amount_too_small",
    `\`${param}\` must be at least ${min}, in the smallest unit of ${currency.toUpperCase()}. Got ${amountMinor}.`,
    { param },
  );
}

function rejectAbove(
  { amountMinor, currency }: Money,
  max: number,
  param: string,
  isOwnLimit: boolean,
): void {
  if (amountMinor <= max) return;
  const message = `\`${param}\` must be at most ${max}, in the smallest unit of ${currency.toUpperCase()}. Got ${amountMinor}.`;
  throw isOwnLimit
    ? new ApiError("amount_over_account_limit", `${message} The operator can raise the limit.`, {
        param,
      })
    : new ApiError("amount_too_large", message, { param });
}
