import { minorUnitDigits } from "@florin/contract/minor-units.ts";
import type { Currency } from "../core/money.ts";

/** The amounts of a settlement report are held in units of 10^-8 of the currency's main unit, in which sums are exact. */
export const scaleDigits = 8;

/** Returns the minor unit of the currency, in units of 10^-8. */
export function minorUnit(currency: Currency): bigint {
  return 10n ** BigInt(scaleDigits - minorUnitDigits(currency));
}

/**
 * Returns the number in units of 10^-digits. Returns null if the text is not a decimal number or has more than `digits`
 * decimals.
 */
export function parseDecimal(text: string, digits: number): bigint | null {
  const match = /^(-?)(\d{1,15})(?:\.(\d+))?$/.exec(text);
  const decimals = match?.[3] ?? "";
  if (match === null || decimals.length > digits) return null;
  const units = BigInt(`${match[2]}${decimals.padEnd(digits, "0")}`);
  return match[1] === "-" ? -units : units;
}

/** Returns the number as text, without zeros at the end. */
export function scaledText(scaled: bigint): string {
  const digits = String(absolute(scaled)).padStart(scaleDigits + 1, "0");
  const decimals = digits.slice(-scaleDigits).replace(/0+$/, "");
  const text = `${digits.slice(0, -scaleDigits)}${decimals === "" ? "" : `.${decimals}`}`;
  return scaled < 0n ? `-${text}` : text;
}

export function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}
