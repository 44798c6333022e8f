import { minorUnitDigits } from "@florin/contract/minor-units.ts";
import { type Currency, isCurrency, type Money } from "../../core/money.ts";
import { rescaleAmount } from "../rescale-amount.ts";

/** Checkout.com's amount and currency. The currency is in upper case. */
export type CheckoutComAmount = { readonly amount: number; readonly currency: string };

/**
 * The currencies without decimals at Checkout.com (checkout.com/docs/payments/accept-payments/format-the-amount-value).
 */
const zeroDecimalCurrencies: ReadonlySet<string> = new Set([
  "bif",
  "djf",
  "gnf",
  "isk",
  "jpy",
  "kmf",
  "krw",
  "pyg",
  "rwf",
  "ugx",
  "vnd",
  "vuv",
  "xaf",
  "xof",
  "xpf",
]);

/** The currencies with three decimals. The last digit of an amount must be 0 (same page). */
export const threeDecimalCurrencies: ReadonlySet<string> = new Set([
  "bhd",
  "iqd",
  "jod",
  "kwd",
  "lyd",
  "omr",
  "tnd",
]);

/** The maximum amount, which has nine digits (same page). */
const maxAmount = 999_999_999;

/** Converts our amount to Checkout.com's. Returns null if Checkout.com cannot represent it. */
export function toCheckoutComAmount({ amountMinor, currency }: Money): CheckoutComAmount | null {
  if (!Number.isSafeInteger(amountMinor) || amountMinor < 0) return null;
  const digits = digitsOf(currency);
  const amount = rescaleAmount(amountMinor, minorUnitDigits(currency), digits);
  if (amount === null || amount > maxAmount) return null;
  if (digits === 3 && amount % 10 !== 0) return null;
  return { amount, currency: currency.toUpperCase() };
}

/** Converts an amount from Checkout.com to minor units. Returns null if Florin cannot represent it. */
export function fromCheckoutComAmount({ amount, currency: code }: CheckoutComAmount): Money | null {
  const currency = code.toLowerCase();
  if (code !== code.toUpperCase() || !isCurrency(currency)) return null;
  if (!Number.isSafeInteger(amount)) return null;
  const amountMinor = rescaleAmount(amount, digitsOf(currency), minorUnitDigits(currency));
  return amountMinor === null ? null : { amountMinor, currency };
}

/**
 * Returns Checkout.com's decimals of the currency. All currencies that are in neither list have two, including CLP,
 * whose last two digits must be 00 (same page).
 */
function digitsOf(currency: Currency): 0 | 2 | 3 {
  if (zeroDecimalCurrencies.has(currency)) return 0;
  return threeDecimalCurrencies.has(currency) ? 3 : 2;
}
