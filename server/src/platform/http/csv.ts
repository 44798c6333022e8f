import { decimalText } from "@florin/contract/minor-units.ts";
import { isCurrency } from "../../core/money.ts";

/**
 * Returns a line of comma-separated values (RFC 4180) for a spreadsheet. Every cell is quoted, so that no spreadsheet
 * has to guess where a cell ends. `timeCell` formats times in UTC, and `amountCell` formats amounts with a decimal
 * point.
 */
export function csvLine(cells: readonly string[]): string {
  let line = quotedCell(cells[0] as string);
  for (let index = 1; index < cells.length; index++)
    line += `,${quotedCell(cells[index] as string)}`;
  return `${line}\r\n`;
}

function quotedCell(cell: string): string {
  return cell.includes('"') ? `"${cell.replaceAll('"', '""')}"` : `"${cell}"`;
}

/**
 * Returns untrusted text as a cell. Spreadsheets evaluate a cell that begins like a formula, even if it is quoted, so
 * an apostrophe marks it as text.
 */
export function textCell(text: string | null): string {
  if (text === null) return "";
  return /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
}

export function timeCell(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

export function amountCell(minor: number, currency: string): string {
  return isCurrency(currency) ? decimalText(minor, currency) : String(minor);
}
