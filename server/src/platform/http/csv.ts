import { decimalText, minorUnitDigits } from "@florin/contract/minor-units.ts";
import { isCurrency } from "../../core/money.ts";

/**
 * Returns a line of comma-separated values (RFC 4180) for a spreadsheet. Every cell is quoted, so that no spreadsheet
 * has to guess where a cell ends. `timeCell` formats times in UTC, and `amountCell` formats amounts with a decimal
 * point.
 */
export function csvLine(cells: readonly string[]): string {
  // A join copies each cell once. Concatenation would build a tree of strings that every line is later copied from.
  return `"${cells.map(escapedCell).join('","')}"\r\n`;
}

function escapedCell(cell: string): string {
  return cell.includes('"') ? cell.replaceAll('"', '""') : cell;
}

/**
 * Matches text that a spreadsheet may evaluate (OWASP, CSV Injection). Some spreadsheets ignore white space before a
 * formula, and some read full-width characters as operators.
 */
const formula = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/;

/**
 * Returns untrusted text as a cell. Spreadsheets evaluate a cell that begins like a formula, even if it is quoted, so
 * an apostrophe marks it as text.
 */
export function textCell(text: string | null): string {
  if (text === null) return "";
  return formula.test(text) ? `'${text}` : text;
}

/** The first bytes, in UTF-8, of white space and of the characters that begin a formula. */
const formulaBytes: ReadonlySet<number> = new Set(
  [..."=+-@＝＋－＠\t\n\v\f\r \u00a0\u1680\u2000\u3000\ufeff"].map(
    (character) => Buffer.from(character)[0] as number,
  ),
);

/** Reports whether a text whose first byte is `byte` may begin like a formula. Most texts begin with another byte. */
export function mayBeginFormula(byte: number): boolean {
  return formulaBytes.has(byte);
}

const daySeconds = 86_400;
/** The last formatted day, as text. Consecutive lines of a download mostly have the same day. */
let dayStart = Number.NaN;
let dayText = "";

export function timeCell(seconds: number): string {
  const start = Math.floor(seconds / daySeconds) * daySeconds;
  if (start !== dayStart) {
    dayStart = start;
    const text = new Date(start * 1000).toISOString();
    dayText = text.slice(0, text.indexOf("T") + 1);
  }
  const inDay = seconds - start;
  const [hours, minutes] = [Math.floor(inDay / 3_600), Math.floor(inDay / 60) % 60];
  return `${dayText}${twoDigits(hours)}:${twoDigits(minutes)}:${twoDigits(inDay % 60)}.000Z`;
}

function twoDigits(number: number): string {
  return number < 10 ? `0${number}` : `${number}`;
}

export function amountCell(minor: number, currency: string): string {
  return isCurrency(currency) ? decimalText(minor, currency) : String(minor);
}

/** Returns the number of decimal digits in `amountCell`. */
export function decimalDigits(currency: string): number {
  return isCurrency(currency) ? minorUnitDigits(currency) : 0;
}
