import { digitsOf } from "./digits.ts";
import { type Edit, type FieldText, formatEdit } from "./formatted-edit.ts";

export type Expiry = { readonly month: number; readonly year: number };

/**
 * Formats digits as MM / YY, as printed on the card. Formats six digits as MM / YYYY, which some autofill data
 * contains.
 */
function formatExpiry(digits: string): string {
  return digits.length > 2 ? `${digits.slice(0, 2)} / ${digits.slice(2)}` : digits;
}

/**
 * Formats an edit and keeps the caret in place. An insertion is parsed as a date: "5" and "5/28" become month 05, and
 * "2028-05" (ISO 8601) is reversed. A deletion is not parsed as a date, because deleting the 2 of 12 would then insert
 * a zero and give 01.
 */
export function editExpiry(edit: Edit): FieldText {
  return formatEdit(edit.inputType?.startsWith("delete") ? edit : readAsDate(edit), formatExpiry);
}

function readAsDate(edit: Edit): Edit {
  const { text, caret } = edit.after;
  const iso = /^\s*(\d{4})\s*[-/.]\s*(\d{1,2})\s*$/.exec(text);
  if (iso && edit.before === "") {
    const turned = `${(iso[2] as string).padStart(2, "0")}${iso[1]}`;
    return { ...edit, after: { text: turned, caret: turned.length } };
  }
  const digits = digitsOf(text);
  const loneMonth = /^\D*\d\D+/u.test(text) || digits.length === 1;
  const cannotBeTens = digits.length === 1 && digits > "1";
  const dated = /^\D*[1-9]\s*[-/.]/.test(text);
  if (!loneMonth || !(cannotBeTens || dated)) return edit;
  const first = text.search(/\p{Nd}/u);
  const padded = `${text.slice(0, first)}0${text.slice(first)}`;
  return { ...edit, after: { text: padded, caret: caret > first ? caret + 1 : caret } };
}

export type ExpiryProblem =
  | "expiry_missing"
  | "expiry_incomplete"
  | "expiry_month_invalid"
  | "expiry_year_invalid"
  | "expiry_past";

/** The maximum plausible validity of a card. A later year is treated as a typing error. */
const maxCardLifeYears = 50;

/** Returns the problem with an expiry date, or null. A card is valid until the last day of its expiry month. */
export function expiryProblem(text: string, now: Date): ExpiryProblem | null {
  const digits = digitsOf(text);
  if (digits === "") return "expiry_missing";
  if (digits.length >= 2 && !isMonth(Number(digits.slice(0, 2)))) return "expiry_month_invalid";
  if (digits.length < 4 || digits.length === 5) return "expiry_incomplete";
  const expiry = parseExpiry(text);
  if (!expiry) return "expiry_year_invalid";
  const thisYear = now.getFullYear();
  if (expiry.year > thisYear + maxCardLifeYears) return "expiry_year_invalid";
  const over =
    expiry.year < thisYear || (expiry.year === thisYear && expiry.month < now.getMonth() + 1);
  return over ? "expiry_past" : null;
}

function isMonth(month: number): boolean {
  return month >= 1 && month <= 12;
}

/**
 * Returns the month and the four-digit year, or null if the digits are not a date. A two-digit year belongs to this
 * century.
 */
export function parseExpiry(text: string): Expiry | null {
  const digits = digitsOf(text);
  const month = Number(digits.slice(0, 2));
  if (!isMonth(month)) return null;
  if (digits.length === 4) return { month, year: 2000 + Number(digits.slice(2)) };
  if (digits.length === 6) return { month, year: Number(digits.slice(2)) };
  return null;
}
