import { minorUnitDigits } from "@florin/contract/minor-units.ts";
import { chooseLocale, directionOf } from "./locales/choose-locale.ts";

/**
 * Formats an amount in minor units: 1999 in usd → $19.99. In a right-to-left language, the amount and its currency are
 * isolated (Unicode UAX #9, 2.4.2). Without isolation, US$ would be displayed as $US, and the surrounding text could
 * change the order of the amount's characters.
 */
export function formatAmount(amountMinor: number, currency: string, locale: string): string {
  const digits = minorUnitDigits(currency);
  const format = new Intl.NumberFormat(knownLocale(locale), {
    style: "currency",
    currency: currency.toUpperCase(),
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  const amount = amountMinor / 10 ** digits;
  if (directionOf(chooseLocale([locale]).language) === "ltr") return format.format(amount);
  const parts = format
    .formatToParts(amount)
    .map(({ type, value }) =>
      type === "currency" && !/\p{Script=Arabic}|\p{Script=Hebrew}/u.test(value)
        ? `${leftToRight}${value}${endOfIsolate}`
        : value,
    );
  return `${rightToLeft}${parts.join("")}${endOfIsolate}`;
}

/** Returns an amount in minor units as a decimal number for the wallets: 1999 in usd → 19.99. */
export function decimalAmount(amountMinor: number, currency: string): string {
  const digits = minorUnitDigits(currency);
  return (amountMinor / 10 ** digits).toFixed(digits);
}

const leftToRight = "\u2066";
const rightToLeft = "\u2067";
const endOfIsolate = "\u2069";

/**
 * Returns the locale, or a fallback if the browser cannot parse the locale. `Intl` would otherwise throw and break the
 * page.
 */
function knownLocale(locale: string): string {
  try {
    return Intl.getCanonicalLocales(locale)[0] ?? "en";
  } catch {
    return "en";
  }
}
