import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { brandOf } from "./brand.ts";
import { editCvc } from "./cvc.ts";
import { digitsOf } from "./digits.ts";
import { editExpiry } from "./expiry.ts";
import { caretAfter, type Edit, type FieldText } from "./formatted-edit.ts";
import { editNumber } from "./number.ts";

/** An insertion, a deletion or a replacement of text in the field, or a move of the caret. */
type Stroke =
  | { kind: "insert"; text: string }
  | { kind: "backspace" | "delete" }
  | { kind: "move"; to: number }
  | { kind: "replaceAll"; text: string };

const pasted = fc
  .array(fc.constantFrom(..."0123456789 -/\u0664\u0662\u200e"), { maxLength: 24 })
  .map((emails) => emails.join(""));

const strokes = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: digit().map((text): Stroke => ({ kind: "insert", text })) },
    { weight: 2, arbitrary: pasted.map((text): Stroke => ({ kind: "insert", text })) },
    { weight: 3, arbitrary: fc.constantFrom<Stroke>({ kind: "backspace" }, { kind: "delete" }) },
    { weight: 2, arbitrary: fc.nat(24).map((to): Stroke => ({ kind: "move", to })) },
    { weight: 1, arbitrary: pasted.map((text): Stroke => ({ kind: "replaceAll", text })) },
  ),
  { maxLength: 40 },
);

const longest = (digits: string) => Math.max(...brandOf(digits).lengths);

function digit() {
  return fc.integer({ min: 0, max: 9 }).map(String);
}

/** Returns the text and caret that the browser reports before the field is formatted. */
function asBrowser(field: FieldText, stroke: Stroke): Edit {
  const { text, caret } = field;
  const edit = (after: FieldText, inputType: string | null): Edit => ({
    before: text,
    after,
    inputType,
  });
  switch (stroke.kind) {
    case "insert": {
      const next = text.slice(0, caret) + stroke.text + text.slice(caret);
      return edit({ text: next, caret: caret + stroke.text.length }, "insertText");
    }
    case "backspace": {
      const next = text.slice(0, Math.max(0, caret - 1)) + text.slice(caret);
      return edit({ text: next, caret: Math.max(0, caret - 1) }, "deleteContentBackward");
    }
    case "delete":
      return edit(
        { text: text.slice(0, caret) + text.slice(caret + 1), caret },
        "deleteContentForward",
      );
    case "replaceAll":
      return edit({ text: stroke.text, caret: stroke.text.length }, null);
    case "move":
      return edit({ text, caret: Math.min(stroke.to, text.length) }, null);
  }
}

test("any sequence of edits keeps the digits up to the brand's longest number, and keeps the caret between the same two digits", () => {
  fc.assert(
    fc.property(strokes, (sequence) => {
      let field: FieldText = { text: "", caret: 0 };
      for (const stroke of sequence) {
        const edit = asBrowser(field, stroke);
        if (stroke.kind === "move") {
          field = edit.after;
          continue;
        }
        const next = editNumber(edit);
        const rawDigits = digitsOf(edit.after.text);
        const rawBehind = digitsOf(edit.after.text.slice(0, edit.after.caret)).length;
        const behind = digitsOf(next.text.slice(0, next.caret)).length;
        if (stroke.kind === "insert" || stroke.kind === "replaceAll") {
          const digits = digitsOf(next.text);
          if (rawDigits.length <= longest(rawDigits)) {
            assert.equal(digits, rawDigits);
            assert.equal(behind, rawBehind);
          } else {
            const isCapped = digits.length <= longest(digits);
            assert.ok(isCapped || digits.length <= digitsOf(field.text).length, digits);
          }
        } else {
          const before = digitsOf(field.text);
          const behindBefore = digitsOf(field.text.slice(0, field.caret)).length;
          const at = stroke.kind === "backspace" ? behindBefore - 1 : behindBefore;
          // A deletion removes exactly the digit next to the caret, even if a separator is between them.
          const expected = at < 0 ? before : before.slice(0, at) + before.slice(at + 1);
          assert.equal(digitsOf(next.text), expected);
          assert.equal(behind, stroke.kind === "backspace" ? Math.max(0, at) : behindBefore);
        }
        field = next;
      }
    }),
    { numRuns: 2000 },
  );
});

test("formatting is idempotent", () => {
  fc.assert(
    fc.property(pasted, (text) => {
      for (const edit of [editNumber, editExpiry, editCvc]) {
        const once = edit({ before: "", after: { text, caret: text.length }, inputType: null });
        const twice = edit({ before: once.text, after: once, inputType: "insertText" });
        assert.equal(digitsOf(twice.text), digitsOf(once.text));
        if (edit !== editExpiry) assert.deepEqual(twice, once);
      }
    }),
  );
});

test("an expiry keeps every typed digit and adds at most the month's leading zero", () => {
  fc.assert(
    fc.property(strokes, (sequence) => {
      let field: FieldText = { text: "", caret: 0 };
      for (const stroke of sequence) {
        const edit = asBrowser(field, stroke);
        field = stroke.kind === "move" ? edit.after : editExpiry(edit);
        if (stroke.kind !== "insert" && stroke.kind !== "replaceAll") continue;
        const typed = [...digitsOf(edit.after.text)].sort().join("");
        const stored = [...digitsOf(field.text)].sort().join("");
        assert.ok(
          stored === typed || stored === `0${typed}`,
          `${edit.after.text} became ${field.text}`,
        );
      }
    }),
    { numRuns: 1000 },
  );
});

test("the caret is placed after the given number of digits, and at the start for zero", () => {
  assert.equal(caretAfter("4242 4242", 0), 0);
  assert.equal(caretAfter("4242 4242", 4), 4);
  assert.equal(caretAfter("4242 4242", 5), 6);
  assert.equal(caretAfter("4242", 9), 4);
});
