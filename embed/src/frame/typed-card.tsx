import type { FrameSession } from "@florin/contract/frame.ts";
import { brandOf } from "../card/brand.ts";
import { maxCharacters } from "../card/card-fields.ts";
import { networksToChoose } from "../card/co-badged.ts";
import { editCvc } from "../card/cvc.ts";
import { digitsOf } from "../card/digits.ts";
import { editExpiry } from "../card/expiry.ts";
import { editNumber } from "../card/number.ts";
import type { CardBrand, CardField, FrameMessage } from "../protocol/message.ts";
import { afterPointerUp } from "./after-pointer-up.ts";
import { BrandMark } from "./brand-mark.tsx";
import type { Checkout, CheckoutState } from "./checkout.ts";
import { Field } from "./field.tsx";
import { Icon } from "./icon.tsx";
import type { Words } from "./locales/words.ts";
import { NetworkChoice } from "./network-choice.tsx";

export type TypedCardProps = {
  readonly checkout: Checkout;
  readonly state: CheckoutState;
  readonly words: Words;
  readonly merchant: string;
  readonly coBadged: FrameSession["co_badged"];
  /** True if the session offers to save the card. */
  readonly savable: boolean;
  readonly notifyPage: (message: FrameMessage) => void;
};

/** The fields for a typed card, and the checkbox to save it. */
export function TypedCard(props: TypedCardProps) {
  const { checkout, state, words } = props;
  const { brand, name, cvcLength } = brandOf(digitsOf(state.fields.number));

  const common = (field: CardField) => ({
    checkout,
    field,
    value: state.fields[field],
    problem: state.problems[field],
    busy: state.busy,
    words,
    onFocus: () => props.notifyPage({ type: "focus", field }),
    onBlur: () => {
      afterPointerUp(() => checkout.leave(field));
      props.notifyPage({ type: "blur", field });
    },
  });

  return (
    <>
      <Field
        {...common("number")}
        autocomplete="cc-number"
        hint="1234 1234 1234 1234"
        edit={editNumber}
        spoken={name}
        beside={!brand && <BrandRow />}
      >
        {brand && <BrandMark brand={brand} />}
      </Field>
      <NetworkChoice
        networks={networksToChoose(state.fields.number, props.coBadged)}
        chosen={state.network}
        busy={state.busy}
        words={words}
        choose={checkout.chooseNetwork}
      />
      <div class="pair">
        <Field
          {...common("expiry")}
          autocomplete="cc-exp"
          hint={words.expiryHint}
          edit={editExpiry}
        />
        <Field
          {...common("cvc")}
          autocomplete="cc-csc"
          hint={cvcLength === 4 ? words.cvcHintFront : words.cvcHint}
          edit={editCvc}
        >
          <Icon name="cvc" />
        </Field>
      </div>
      <Field
        {...common("name")}
        autocomplete="cc-name"
        hint={words.nameHint}
        maxCharacters={maxCharacters.name}
        capitals="words"
      />
      {state.requiredFields.postalCode && (
        <Field
          {...common("postal_code")}
          autocomplete="postal-code"
          hint=""
          maxCharacters={maxCharacters.postal_code}
          capitals="characters"
        />
      )}
      {props.savable && (
        <label class="consent">
          <input
            type="checkbox"
            checked={state.save}
            aria-disabled={state.busy}
            onChange={(event) => checkout.consent(event.currentTarget.checked)}
          />
          <span>{words.save(props.merchant)}</span>
        </label>
      )}
    </>
  );
}

const shownBrands: readonly CardBrand[] = ["visa", "mastercard", "amex", "discover"];

function BrandRow() {
  return (
    <span class="brands">
      {shownBrands.map((brand) => (
        <BrandMark key={brand} brand={brand} />
      ))}
    </span>
  );
}
