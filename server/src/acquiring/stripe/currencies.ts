import { minorUnitDigits } from "@florin/contract/minor-units.ts";
import { type Currency, isCurrency, type Money } from "../../core/money.ts";
import { rescaleAmount } from "../rescale-amount.ts";
import { scaleDigits } from "../scaled-decimal.ts";

/** Stripe's amount and currency. The currency is in lower case. */
export type StripeAmount = { readonly amount: number; readonly currency: string };

/**
 * The decimals of currencies for which Stripe differs from ISO 4217 (docs.stripe.com/currencies). `isk` is a currency
 * without decimals whose amounts Stripe still expects with two. `mga` is on Stripe's list of zero-decimal currencies.
 */
const stripeDigits: Readonly<Partial<Record<Currency, 0 | 2>>> = { isk: 2, mga: 0 };

/**
 * The currencies that the connector rejects. Stripe's page lists UGX as a zero-decimal currency and, under "Special
 * cases", as one whose amounts have two decimals. A wrong choice would charge a hundred times the price.
 */
const rejectedCurrencies: ReadonlySet<Currency> = new Set(["ugx"]);

/**
 * The three-decimal currencies that Stripe supports. The last digit of an amount must be 0
 * (docs.stripe.com/currencies).
 */
export const threeDecimalCurrencies: ReadonlySet<Currency> = new Set([
  "bhd",
  "jod",
  "kwd",
  "omr",
  "tnd",
]);

/** The maximum amount, which has eight digits (`amount` of a PaymentIntent in Stripe's API reference). */
const maxAmount = 99_999_999;

/** Converts our amount to Stripe's. Returns null if Stripe cannot represent it. */
export function toStripeAmount({ amountMinor, currency }: Money): StripeAmount | null {
  if (!Number.isSafeInteger(amountMinor) || amountMinor < 0) return null;
  if (rejectedCurrencies.has(currency)) return null;
  const isThreeDecimal = minorUnitDigits(currency) === 3;
  if (isThreeDecimal && (!threeDecimalCurrencies.has(currency) || amountMinor % 10 !== 0)) {
    return null;
  }
  const amount = rescaleAmount(amountMinor, minorUnitDigits(currency), digitsOf(currency));
  return amount === null || amount > maxAmount ? null : { amount, currency };
}

/** Converts an amount from Stripe to minor units. Returns null if Florin cannot represent it. */
export function fromStripeAmount({ amount, currency }: StripeAmount): Money | null {
  if (!isCurrency(currency) || !Number.isSafeInteger(amount)) return null;
  const amountMinor = rescaleAmount(amount, digitsOf(currency), minorUnitDigits(currency));
  return amountMinor === null ? null : { amountMinor, currency };
}

/**
 * Returns an amount from Stripe in units of 10^-8 of the currency's main unit, in which Florin can represent every
 * amount. Returns null if Florin does not support the currency.
 */
export function scaledStripeAmount({ amount, currency }: StripeAmount): bigint | null {
  if (!isCurrency(currency) || !Number.isSafeInteger(amount)) return null;
  return BigInt(amount) * 10n ** BigInt(scaleDigits - digitsOf(currency));
}

function digitsOf(currency: Currency): number {
  return stripeDigits[currency] ?? minorUnitDigits(currency);
}
