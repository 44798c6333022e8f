import { digitsOf } from "./digits.ts";

/** What stands in a field, and before which character the caret is. */
export type FieldText = { readonly text: string; readonly caret: number };

/** An edit as the browser reports it: what stood there, what stands there now, and what kind of edit it was. */
export type Edit = {
  readonly before: string;
  readonly after: FieldText;
  /** `InputEvent.inputType`; null for autofill, which reports none. */
  readonly inputType: string | null;
};

/**
 * Formats what an edit left behind and keeps the caret by digit index: it stays behind as many digits as it stood
 * behind in the raw text, wherever the separators have moved to. No digit is ever dropped: a number that is too long is
 * shown whole and refused in words, because a silently shortened paste is another card's number.
 */
export function formatEdit(edit: Edit, format: (digits: string) => string): FieldText {
  let digits = digitsOf(edit.after.text);
  let behind = digitsOf(edit.after.text.slice(0, edit.after.caret)).length;
  if (deletedOnlySeparators(edit, digits)) {
    // Backspace or delete met a separator, which formatting would put straight back: take the digit beyond it.
    if (edit.inputType === "deleteContentForward") {
      digits = digits.slice(0, behind) + digits.slice(behind + 1);
    } else if (edit.inputType === "deleteContentBackward" && behind > 0) {
      digits = digits.slice(0, behind - 1) + digits.slice(behind);
      behind -= 1;
    }
  }
  const text = format(digits);
  return { text, caret: caretBehind(text, behind) };
}

function deletedOnlySeparators(edit: Edit, digits: string): boolean {
  return edit.after.text.length < edit.before.length && digits === digitsOf(edit.before);
}

/** The place right behind the nth digit of a formatted text. */
export function caretBehind(text: string, digitCount: number): number {
  if (digitCount === 0) return 0;
  let seen = 0;
  for (let index = 0; index < text.length; index++) {
    const letter = text.charCodeAt(index);
    if (letter >= 0x30 && letter <= 0x39) seen += 1;
    if (seen === digitCount) return index + 1;
  }
  return text.length;
}
