import type { ComponentChildren, TargetedEvent } from "preact";
import type { Edit, FieldText } from "../card/formatted-edit.ts";
import type { CardField } from "../protocol/message.ts";
import type { Checkout } from "./checkout.ts";
import { labelOf } from "./field-label.ts";
import type { ShownProblem } from "./field-problems.ts";
import type { Words } from "./locales/words.ts";

type FieldFacts = {
  readonly checkout: Checkout;
  readonly field: CardField;
  readonly autocomplete: string;
  readonly hint: string;
  readonly value: string;
  readonly problem: ShownProblem | undefined;
  readonly busy: boolean;
  readonly words: Words;
  readonly onFocus: () => void;
  readonly onBlur: () => void;
  /** Formats each edit. Without it, the field accepts any text. */
  readonly edit?: (edit: Edit) => FieldText;
  readonly maxCharacters?: number;
  readonly capitals?: "words" | "characters";
  /** Shown at the end of the field, such as the brand logo. */
  readonly children?: ComponentChildren;
  /** Shown at the end of the line with the label. */
  readonly beside?: ComponentChildren;
  /** Read out with the label by screen readers but not visible, such as the brand's name. */
  readonly spoken?: string | null;
};

/** A native input with its label and error message. It never moves the focus. */
export function Field(facts: FieldFacts) {
  const { field, problem, spoken } = facts;
  const describedBy = [problem && `${field}-problem`, spoken && `${field}-spoken`].filter(Boolean);
  return (
    <div class={`field field-${field}`}>
      <div class="label">
        <label for={field}>{labelOf(facts.words, field)}</label>
        {facts.beside}
      </div>
      <div class="box">
        <input
          id={field}
          name={facts.autocomplete}
          type="text"
          autocomplete={facts.autocomplete}
          inputMode={facts.edit ? "numeric" : "text"}
          placeholder={facts.hint}
          value={facts.value}
          maxLength={facts.maxCharacters}
          readOnly={facts.busy}
          spellcheck={false}
          autocapitalize={facts.capitals ?? "off"}
          autocorrect="off"
          aria-required="true"
          aria-invalid={problem ? "true" : "false"}
          aria-describedby={describedBy.join(" ") || undefined}
          onInput={(event) => takeInput(facts, event)}
          onCompositionEnd={(event) => takeInput(facts, event)}
          onFocus={facts.onFocus}
          onBlur={facts.onBlur}
        />
        {facts.children && <span class="adorn">{facts.children}</span>}
      </div>
      {spoken && (
        <span id={`${field}-spoken`} class="unseen">
          {spoken}
        </span>
      )}
      {problem && (
        <p id={`${field}-problem`} class="problem">
          {facts.words.problems[problem]}
        </p>
      )}
    </div>
  );
}

function takeInput(facts: FieldFacts, event: TargetedEvent<HTMLInputElement, Event>): void {
  const input = event.currentTarget;
  const { isComposing, inputType } = event as Partial<InputEvent>;
  // Changing the text during an input method composition would discard the composition. Its end fires another event.
  if (!facts.edit || isComposing) {
    facts.checkout.edit(facts.field, input.value);
    return;
  }
  const after = { text: input.value, caret: input.selectionStart ?? input.value.length };
  const next = facts.edit({ before: facts.value, after, inputType: inputType || null });
  if (next.text !== input.value) {
    input.value = next.text;
    // Autofill also fills unfocused fields. Setting the caret in one of them would move the focus.
    if (document.activeElement === input) input.setSelectionRange(next.caret, next.caret);
  }
  facts.checkout.edit(facts.field, next.text);
}
