import type { FrameSession, OfferedWallet, SavedCard } from "@florin/contract/frame.ts";
import { useLayoutEffect } from "preact/hooks";
import { bannerOf, delayText } from "./announcement.ts";
import { Icon } from "./icon.tsx";
import { SavedCardCode } from "./saved-card-code.tsx";
import { SavedCards } from "./saved-cards.tsx";
import { TestCardPicker } from "./test-card-picker.tsx";
import { TypedCard, type TypedCardProps } from "./typed-card.tsx";
import { Wallets } from "./wallets.tsx";

type CardFormProps = TypedCardProps & {
  readonly amount: string;
  readonly price: Pick<FrameSession, "amount" | "currency">;
  /** The BCP 47 tag of the form's language. */
  readonly tag: string;
  readonly livemode: boolean;
  readonly sandbox: boolean;
  readonly savedCards: readonly SavedCard[];
  readonly wallets: readonly OfferedWallet[];
  readonly payButton: "shown" | "hidden";
  /** True if the form only saves the card. */
  readonly isSetup: boolean;
};

export function CardForm(props: CardFormProps) {
  const { checkout, state, words } = props;
  const banner = bannerOf(state, words);
  const delay = delayText(state, words);
  const saved = props.savedCards.find(({ payment_method_id }) => payment_method_id === state.saved);

  // Moves the focus before painting, so that a key pressed right after the error appears reaches the invalid field.
  useLayoutEffect(() => {
    if (!state.focus) return;
    const field = document.getElementById(state.focus.field);
    (field ?? document.querySelector<HTMLElement>(".choice :checked"))?.focus();
  }, [state.focus]);

  return (
    <>
      {banner && (
        <div class="banner">
          <Icon name="alert" />
          <div>
            <strong>{banner.title}</strong>
            <p>{banner.text}</p>
          </div>
        </div>
      )}
      <Wallets
        wallets={props.wallets}
        checkout={checkout}
        busy={state.busy}
        merchant={props.merchant}
        amount={props.amount}
        price={props.price}
        sandbox={props.sandbox}
        words={words}
        tag={props.tag}
      />
      <form
        method="post"
        noValidate
        aria-busy={state.busy}
        onSubmit={(event) => {
          event.preventDefault();
          // Handles a submission without a click, for example by `requestSubmit`.
          if (!event.submitter) void checkout.submit();
        }}
      >
        <SavedCards
          cards={props.savedCards}
          chosen={state.saved}
          busy={state.busy}
          words={words}
          choose={checkout.choose}
        />
        {saved ? <SavedCardCode {...props} card={saved} /> : <TypedCard {...props} />}
        {props.isSetup && <p class="agreement">{words.setup.consent(props.merchant)}</p>}
        {/* Uses `aria-disabled` instead of `disabled`, which would drop the focus. `submit` ignores a second click.
        The click starts the payment, because Chromium and Firefox fire no submit event in a sandbox without
        `allow-forms`. The Enter key in a field also clicks the button. */}
        <button
          class="pay"
          type="submit"
          aria-disabled={state.busy}
          onClick={() => void checkout.submit()}
          hidden={props.payButton === "hidden"}
        >
          {state.busy ? (
            <>
              <span class="spinner" aria-hidden="true" />
              {words.paying}
            </>
          ) : (
            words.pay(props.amount)
          )}
        </button>
      </form>
      {delay ? (
        // Replaces the sentence below the button, so that the form does not change its height.
        <p class="trust waiting">
          <Icon name="clock" />
          <span>{delay}</span>
        </p>
      ) : (
        <p class="trust">
          <Icon name="lock" />
          <span>{words.trust(props.merchant)}</span>
        </p>
      )}
      {props.sandbox && (
        <p class="picker">
          <span>
            <span class="badge">{words.sandbox}</span> {words.sandboxNote}
          </span>
        </p>
      )}
      {!props.livemode && <TestCardPicker checkout={checkout} busy={state.busy} words={words} />}
    </>
  );
}
