import type { ComponentChildren, TargetedEvent } from "preact";
import type { Edit, FieldText } from "../card/formatted-edit.ts";
import type { CardField } from "../protocol/message.ts";
import type { Checkout } from "./checkout.ts";
import { labelOf } from "./field-label.ts";
import type { ShownProblem } from "./field-problems.ts";
import type { Words } from "./locales/words.ts";

type FieldProps = {
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
  /** Formats each edit. Without this function, the field accepts any text. */
  readonly edit?: (edit: Edit) => FieldText;
  readonly maxCharacters?: number;
  readonly capitals?: "words" | "characters";
  /** Shown at the end of the field, such as the brand logo. */
  readonly children?: ComponentChildren;
  /** Shown at the end of the line with the label. */
  readonly beside?: ComponentChildren;
  /** Invisible text that screen readers read with the label, such as the brand's name. */
  readonly spoken?: string | null;
};

/** A native input with its label and error message. It never moves the focus. */
export function Field(props: FieldProps) {
  const { field, problem, spoken } = props;
  const describedBy = [problem && `${field}-problem`, spoken && `${field}-spoken`].filter(Boolean);
  return (
    <div class={`field field-${field}`}>
      <div class="label">
        <label for={field}>{labelOf(props.words, field)}</label>
        {props.beside}
      </div>
      <div class="box">
        <input
          id={field}
          name={props.autocomplete}
          type="text"
          autocomplete={props.autocomplete}
          inputMode={props.edit ? "numeric" : "text"}
          placeholder={props.hint}
          value={props.value}
          maxLength={props.maxCharacters}
          readOnly={props.busy}
          spellcheck={false}
          autocapitalize={props.capitals ?? "off"}
          autocorrect="off"
          aria-required="true"
          aria-invalid={problem ? "true" : "false"}
          aria-describedby={describedBy.join(" ") || undefined}
          onInput={(event) => takeInput(props, event)}
          onCompositionEnd={(event) => takeInput(props, event)}
          onFocus={props.onFocus}
          onBlur={props.onBlur}
        />
        {props.children && <span class="adorn">{props.children}</span>}
      </div>
      {spoken && (
        <span id={`${field}-spoken`} class="unseen">
          {spoken}
        </span>
      )}
      {problem && (
        <p id={`${field}-problem`} class="problem">
          {props.words.problems[problem]}
        </p>
      )}
    </div>
  );
}

function takeInput(props: FieldProps, event: TargetedEvent<HTMLInputElement, Event>): void {
  const input = event.currentTarget;
  const { isComposing, inputType } = event as Partial<InputEvent>;
  // Skips formatting during an input method composition, because changing the text would discard the composition. The
  // end of the composition fires another event.
  if (!props.edit || isComposing) {
    props.checkout.edit(props.field, input.value);
    return;
  }
  const after = { text: input.value, caret: input.selectionStart ?? input.value.length };
  const next = props.edit({ before: props.value, after, inputType: inputType || null });
  if (next.text !== input.value) {
    input.value = next.text;
    // Skips unfocused fields, which autofill can fill, because setting the caret would move the focus.
    if (document.activeElement === input) input.setSelectionRange(next.caret, next.caret);
  }
  props.checkout.edit(props.field, next.text);
}
