import { type Currency, isCurrency } from "@florin/contract/currency.ts";
import { decimalText } from "@florin/contract/minor-units.ts";
import { ApiError } from "./api-error.ts";

export { type Currency, currencies, isCurrency } from "@florin/contract/currency.ts";

/** An amount in the smallest unit of its currency: 1999 is $19.99, and ¥1999. Always an integer. */
export type Money = { readonly amountMinor: number; readonly currency: Currency };

/**
 * Returns the amount and currency of a request. Rejects an unknown currency, because the request schema does not check
 * the currency.
 */
export function priceOf({ amount, currency }: { amount: number; currency: string }): Money {
  return { amountMinor: amount, currency: currencyOf(currency) };
}

/** Returns an amount as text for operators, such as `19.99 USD` for 1999 in `usd`. */
export function moneyText(amountMinor: number, currency: string): string {
  return `${decimalText(amountMinor, currency)} ${currency.toUpperCase()}`;
}

/** Returns the currency of a filter. Rejects an unknown currency, because an empty list would hide the mistake. */
export function currencyOfFilter(code: string | undefined): Currency | undefined {
  return code === undefined ? undefined : currencyOf(code);
}

function currencyOf(code: string): Currency {
  if (isCurrency(code)) return code;
  throw new ApiError(
    "currency_unsupported",
    `\`currency\` must be a supported ISO 4217 code in lower case, such as 'usd'. Got '${code}'.`,
    { param: "currency" },
  );
}
