import { brandOf } from "./brand.ts";
import { digitsOf } from "./digits.ts";
import { type Digits, type Edit, type FieldText, formatEdit } from "./formatted-edit.ts";

/** Groups the digits as printed on the card: 4242 4242 4242 4242, 3782 822463 10005. */
export function formatNumber(digits: string): string {
  const { gaps } = brandOf(digits);
  let text = "";
  for (let index = 0; index < digits.length; index++) {
    if (gaps.includes(index)) text += " ";
    text += digits[index];
  }
  return text;
}

export function editNumber(edit: Edit): FieldText {
  return formatEdit(edit, formatNumber, limitDigits);
}

/**
 * Drops inserted digits beyond the longest number of the brand, as `maxlength` does for characters. Digits that were
 * already in the field are never dropped. If a complete card number is pasted or autofilled into a field that is not
 * empty, it replaces the earlier digits. Otherwise, parts of two numbers could form the number of another card.
 */
function limitDigits({ digits, behind }: Digits, before: string): Digits {
  const max = longestOf(digits);
  if (digits.length <= max) return { digits, behind };
  const after = digits.length - behind;
  let start = 0;
  while (start < behind && start < before.length - after && digits[start] === before[start]) {
    start += 1;
  }
  const inserted = digits.slice(start, behind);
  if (inserted.length >= shortestNumber) {
    const number = numberAtStart(inserted);
    return { digits: number, behind: number.length };
  }
  const kept = inserted.slice(0, Math.max(0, inserted.length - (digits.length - max)));
  return {
    digits: digits.slice(0, start) + kept + digits.slice(behind),
    behind: start + kept.length,
  };
}

/** The number of digits of the shortest card number. */
const shortestNumber = 12;

/** Returns the card number at the start of pasted digits, which can continue with an expiry date. */
function numberAtStart(digits: string): string {
  const max = longestOf(digits);
  if (digits.length <= max) return digits;
  const { lengths } = brandOf(digits);
  const valid = lengths.find((length) => passesLuhn(digits.slice(0, length)));
  return digits.slice(0, valid ?? max);
}

function longestOf(digits: string): number {
  return Math.max(...brandOf(digits).lengths);
}

export type NumberProblem = "number_missing" | "number_incomplete" | "number_invalid";

/** Returns the problem with a card number, or null if the number can be sent to the service. */
export function numberProblem(text: string): NumberProblem | null {
  const digits = digitsOf(text);
  if (digits === "") return "number_missing";
  const { lengths } = brandOf(digits);
  if (digits.length < Math.min(...lengths)) return "number_incomplete";
  return lengths.includes(digits.length) && passesLuhn(digits) ? null : "number_invalid";
}

/**
 * Returns whether the digits pass the Luhn check of ISO/IEC 7812-1 annex B, which detects any one mistyped digit.
 */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return digits.length > 0 && sum % 10 === 0;
}
