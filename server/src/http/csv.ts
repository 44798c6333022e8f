import { currencyDigits, isCurrency } from "../primitives/money.ts";

/** Comma-separated values (RFC 4180), for a spreadsheet: times in UTC, amounts with their decimal point. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.join(",")}\r\n`;
}

/**
 * A text that came from outside. A spreadsheet takes one that begins like a formula for a formula, and would run it:
 * an apostrophe says that it is a text.
 */
export function textCell(text: string | null): string {
  if (text === null) return "";
  const plain = /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n']/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

export function timeCell(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

export function amountCell(minor: number, currency: string): string {
  const digits = isCurrency(currency) ? currencyDigits(currency) : 0;
  const text = String(Math.abs(minor)).padStart(digits + 1, "0");
  const whole = text.slice(0, text.length - digits);
  const sign = minor < 0 ? "-" : "";
  return digits === 0 ? `${sign}${whole}` : `${sign}${whole}.${text.slice(-digits)}`;
}
