import { digitsOf } from "./digits.ts";

/** The text of a field, and the index of the character after the caret. */
export type FieldText = { readonly text: string; readonly caret: number };

/** An edit as the browser reports it: the text before and after, and the input type. */
export type Edit = {
  readonly before: string;
  readonly after: FieldText;
  /** `InputEvent.inputType`. Null for autofill, whose events have no input type. */
  readonly inputType: string | null;
};

/** The digits of a field, and how many of them are before the caret. */
export type Digits = { readonly digits: string; readonly behind: number };

/**
 * Formats the text after an edit. The number of digits before the caret stays the same, even if separators move.
 * `limit` can remove digits that the edit inserted. Without `limit`, no digit is dropped.
 */
export function formatEdit(
  edit: Edit,
  format: (digits: string) => string,
  limit: (after: Digits, before: string) => Digits = (after) => after,
): FieldText {
  let digits = digitsOf(edit.after.text);
  let behind = digitsOf(edit.after.text.slice(0, edit.after.caret)).length;
  if (deletedOnlySeparators(edit, digits)) {
    // Backspace or Delete removed only a separator, which formatting would insert again. Remove the digit before or
    // after it instead.
    if (edit.inputType === "deleteContentForward") {
      digits = digits.slice(0, behind) + digits.slice(behind + 1);
    } else if (edit.inputType === "deleteContentBackward" && behind > 0) {
      digits = digits.slice(0, behind - 1) + digits.slice(behind);
      behind -= 1;
    }
  }
  const kept = limit({ digits, behind }, digitsOf(edit.before));
  const text = format(kept.digits);
  return { text, caret: caretAfter(text, kept.behind) };
}

function deletedOnlySeparators(edit: Edit, digits: string): boolean {
  return edit.after.text.length < edit.before.length && digits === digitsOf(edit.before);
}

/** Returns the index after the given number of digits in a formatted text. */
export function caretAfter(text: string, digitCount: number): number {
  if (digitCount === 0) return 0;
  let seen = 0;
  for (let index = 0; index < text.length; index++) {
    const letter = text.charCodeAt(index);
    if (letter >= 0x30 && letter <= 0x39) seen += 1;
    if (seen === digitCount) return index + 1;
  }
  return text.length;
}
