import { minorUnitDigits } from "@florin/contract/minor-units.ts";
import { isCurrency } from "../../core/money.ts";

/**
 * Returns a line of comma-separated values (RFC 4180) for a spreadsheet, with times in UTC and amounts with a decimal
 * point. Every cell is quoted, so that no spreadsheet guesses from a cell where the next one begins.
 */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(quotedCell).join(",")}\r\n`;
}

function quotedCell(cell: string): string {
  return `"${cell.replaceAll('"', '""')}"`;
}

/**
 * Returns a text from outside as a cell. A spreadsheet runs a cell that begins like a formula, quoted or not, so an
 * apostrophe marks it as text.
 */
export function textCell(text: string | null): string {
  if (text === null) return "";
  return /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
}

export function timeCell(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

export function amountCell(minor: number, currency: string): string {
  const digits = isCurrency(currency) ? minorUnitDigits(currency) : 0;
  const text = String(Math.abs(minor)).padStart(digits + 1, "0");
  const whole = text.slice(0, text.length - digits);
  const sign = minor < 0 ? "-" : "";
  return digits === 0 ? `${sign}${whole}` : `${sign}${whole}.${text.slice(-digits)}`;
}
