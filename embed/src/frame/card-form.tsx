import { useEffect } from "preact/hooks";
import { brandOf } from "../card/brand.ts";
import { editCvc } from "../card/cvc.ts";
import { digitsOf } from "../card/digits.ts";
import { editExpiry } from "../card/expiry.ts";
import { editNumber } from "../card/number.ts";
import type { CardBrand, CardField, FrameMessage } from "../protocol/message.ts";
import { bannerOf } from "./announcement.ts";
import { BrandMark } from "./brand-mark.tsx";
import type { Checkout, CheckoutState } from "./checkout.ts";
import { Field } from "./field.tsx";
import { Glyph } from "./glyph.tsx";
import type { Words } from "./locales/words.ts";
import { afterPress } from "./press.ts";
import { TestCardPicker } from "./test-card-picker.tsx";

type FormFacts = {
  readonly checkout: Checkout;
  readonly state: CheckoutState;
  readonly words: Words;
  readonly amount: string;
  readonly merchant: string;
  readonly livemode: boolean;
  /** Whether the session offers to keep the card. */
  readonly savable: boolean;
  readonly payButton: "shown" | "hidden";
  readonly tell: (message: FrameMessage) => void;
};

const welcomeBrands: readonly CardBrand[] = ["visa", "mastercard", "amex", "discover"];

export function CardForm(facts: FormFacts) {
  const { checkout, state, words } = facts;
  const { brand, name, cvcLength } = brandOf(digitsOf(state.fields.number));
  const banner = bannerOf(state, words);

  useEffect(() => {
    if (state.focus) document.getElementById(state.focus.field)?.focus();
  }, [state.focus]);

  const common = (field: CardField) => ({
    checkout,
    field,
    value: state.fields[field],
    problem: state.problems[field],
    busy: state.busy,
    words,
    onFocus: () => facts.tell({ type: "focus", field }),
    onBlur: () => {
      afterPress(() => checkout.leave(field));
      facts.tell({ type: "blur", field });
    },
  });

  return (
    <>
      {banner && (
        <div class="banner">
          <Glyph name="alert" />
          <div>
            <strong>{banner.title}</strong>
            <p>{banner.text}</p>
          </div>
        </div>
      )}
      <form
        method="post"
        noValidate
        aria-busy={state.busy}
        onSubmit={(event) => {
          event.preventDefault();
          void checkout.submit();
        }}
      >
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
            <Glyph name="cvc" />
          </Field>
        </div>
        <Field {...common("name")} autocomplete="cc-name" hint={words.nameHint} capitals="words" />
        {state.wanted.postalCode && (
          <Field
            {...common("postal_code")}
            autocomplete="postal-code"
            hint=""
            capitals="characters"
          />
        )}
        {facts.savable && (
          <label class="consent">
            <input
              type="checkbox"
              checked={state.save}
              aria-disabled={state.busy}
              onChange={(event) => checkout.consent(event.currentTarget.checked)}
            />
            <span>{words.save(facts.merchant)}</span>
          </label>
        )}
        {/* Not `disabled`: that would drop the focus, and the latch is what keeps a second click out. */}
        <button
          class="pay"
          type="submit"
          aria-disabled={state.busy}
          hidden={facts.payButton === "hidden"}
        >
          {state.busy ? (
            <>
              <span class="spinner" aria-hidden="true" />
              {words.paying}
            </>
          ) : (
            words.pay(facts.amount)
          )}
        </button>
      </form>
      <p class="trust">
        <Glyph name="lock" />
        <span>{words.trust(facts.merchant)}</span>
      </p>
      {!facts.livemode && <TestCardPicker checkout={checkout} busy={state.busy} words={words} />}
    </>
  );
}

function BrandRow() {
  return (
    <span class="brands">
      {welcomeBrands.map((brand) => (
        <BrandMark key={brand} brand={brand} />
      ))}
    </span>
  );
}
