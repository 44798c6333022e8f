import type { SavedCard } from "@florin/contract/frame.ts";
import { cvcLengthOf } from "../card/brand.ts";
import { editCvc } from "../card/cvc.ts";
import { afterPointerUp } from "./after-pointer-up.ts";
import { Field } from "./field.tsx";
import { Icon } from "./icon.tsx";
import type { TypedCardProps } from "./typed-card.tsx";

type SavedCardCodeProps = Pick<TypedCardProps, "checkout" | "state" | "words" | "notifyPage"> & {
  readonly card: SavedCard;
};

/**
 * The field for the security code of the selected saved card. The customer enters it for each payment, as evidence of
 * possession of the card.
 */
export function SavedCardCode({ checkout, state, words, notifyPage, card }: SavedCardCodeProps) {
  return (
    <div class="pair">
      <Field
        checkout={checkout}
        field="cvc"
        value={state.fields.cvc}
        problem={state.problems.cvc}
        busy={state.busy}
        words={words}
        autocomplete="cc-csc"
        hint={cvcLengthOf(card.brand) === 4 ? words.cvcHintFront : words.cvcHint}
        edit={editCvc}
        onFocus={() => notifyPage({ type: "focus", field: "cvc" })}
        onBlur={() => {
          afterPointerUp(() => checkout.leave("cvc"));
          notifyPage({ type: "blur", field: "cvc" });
        }}
      >
        <Icon name="cvc" />
      </Field>
    </div>
  );
}
