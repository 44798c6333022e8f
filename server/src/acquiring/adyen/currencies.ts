import { minorUnitDigits } from "@florin/contract/minor-units.ts";
import { type Currency, isCurrency, type Money } from "../../core/money.ts";
import { rescaleAmount } from "../rescale-amount.ts";

/** Adyen's `Amount` object. The currency is in upper case. */
export type AdyenAmount = { readonly currency: string; readonly value: number };

/**
 * The decimals of currencies for which Adyen differs from ISO 4217. The page
 * docs.adyen.com/development-resources/currency-codes marks exactly these four and says that Adyen's decimals apply.
 */
export const adyenDigits: Readonly<Partial<Record<Currency, 0 | 2>>> = {
  clp: 2,
  cve: 0,
  idr: 0,
  isk: 2,
};

/**
 * The currencies that Florin supports but Adyen's table does not list. Adyen defines no number of decimals for them.
 * The table was checked only from AED to ETB. Adyen rejects other unsupported currencies with error code 138.
 */
export const unlistedCurrencies: ReadonlySet<Currency> = new Set([
  "afn",
  "bif",
  "btn",
  "cdf",
  "ern",
]);

/** Converts our amount to Adyen's. Returns null if Adyen cannot represent it. */
export function toAdyenAmount({ amountMinor, currency }: Money): AdyenAmount | null {
  if (!Number.isSafeInteger(amountMinor) || amountMinor < 0) return null;
  if (unlistedCurrencies.has(currency)) return null;
  const value = rescaleAmount(amountMinor, minorUnitDigits(currency), digitsOf(currency));
  return value === null ? null : { currency: currency.toUpperCase(), value };
}

/** Converts an amount from Adyen to minor units. Returns null if Florin cannot represent it. */
export function fromAdyenAmount({ currency: code, value }: AdyenAmount): Money | null {
  const currency = code.toLowerCase();
  if (code !== code.toUpperCase() || !isCurrency(currency)) return null;
  if (!Number.isSafeInteger(value)) return null;
  const amountMinor = rescaleAmount(value, digitsOf(currency), minorUnitDigits(currency));
  return amountMinor === null ? null : { amountMinor, currency };
}

function digitsOf(currency: Currency): number {
  return adyenDigits[currency] ?? minorUnitDigits(currency);
}
