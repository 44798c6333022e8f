import type { OfferedTestWallet, OfferedWallet } from "@florin/contract/frame.ts";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { brandName } from "../card/brand.ts";
import { canPayWithApple } from "./apple-pay.ts";
import { ApplePayButton } from "./apple-pay-button.tsx";
import { BrandMark } from "./brand-mark.tsx";
import { GooglePayButton } from "./google-pay-button.tsx";
import { isLight } from "./light-color.ts";
import { RadioButton } from "./radio-button.tsx";
import type { LiveWalletProps, WalletProps } from "./wallet-props.ts";

type WalletsProps = Omit<LiveWalletProps, "isDark"> & {
  readonly wallets: readonly OfferedWallet[];
};

/** The buttons of the wallets above the fields of the card. Takes no space while there is no button. */
export function Wallets({ wallets, ...props }: WalletsProps) {
  const [isGoogleReady, setGoogleReady] = useState(false);
  const isDark = useDarkBackground();
  const usable = wallets.filter((wallet) => wallet.type !== "apple_pay" || canPayWithApple(wallet));
  if (usable.length === 0) return null;
  const isShown = usable.some(({ type }) => type !== "google_pay" || isGoogleReady);
  return (
    <div class="wallets" data-shown={isShown}>
      <div class="wallet-buttons">
        {usable.map((wallet) => (
          <WalletButton
            key={wallet.type}
            {...props}
            wallet={wallet}
            isDark={isDark}
            isReady={isGoogleReady}
            onReady={setGoogleReady}
          />
        ))}
      </div>
      {isShown && <h2 class="or">{props.words.orCard}</h2>}
    </div>
  );
}

type WalletButtonProps = LiveWalletProps & {
  readonly wallet: OfferedWallet;
  /** The state of Google Pay's button, which a page of another origin draws. */
  readonly isReady: boolean;
  readonly onReady: (isReady: boolean) => void;
};

function WalletButton({ wallet, ...props }: WalletButtonProps) {
  switch (wallet.type) {
    case "test_wallet":
      return <TestWallet {...props} wallet={wallet} />;
    case "apple_pay":
      return <ApplePayButton {...props} wallet={wallet} />;
    case "google_pay":
      return <GooglePayButton {...props} wallet={wallet} />;
  }
}

/**
 * Returns whether the form's text is light. Depends on the text and not on the color scheme, because a shop can choose
 * the colors. Updated after each render and when the system setting changes.
 */
function useDarkBackground(): boolean {
  const [isDark, setDark] = useState(hasLightText);
  useLayoutEffect(() => setDark(hasLightText()));
  useLayoutEffect(() => {
    const preference = matchMedia("(prefers-color-scheme: dark)");
    const update = () => setDark(hasLightText());
    preference.addEventListener("change", update);
    return () => preference.removeEventListener("change", update);
  }, []);
  return isDark;
}

let lastText = { color: "", isLight: false };

/** Measures a color only once, because the form renders again on every keystroke. */
function hasLightText(): boolean {
  const { color } = getComputedStyle(document.body);
  if (color !== lastText.color) lastText = { color, isLight: isLight(color) };
  return lastText.isLight;
}

type TestWalletProps = WalletProps & { readonly wallet: OfferedTestWallet };

/** The button of test mode's wallet. */
function TestWallet(props: TestWalletProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        class="wallet"
        aria-haspopup="dialog"
        aria-disabled={props.busy}
        onClick={() => !props.busy && setOpen(true)}
      >
        {props.words.testWallet}
      </button>
      {isOpen && <Sheet {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

/** The sheet in which the customer chooses a card of the wallet. It is modal. */
function Sheet(props: TestWalletProps & { readonly onClose: () => void }) {
  const { wallet, checkout, merchant, amount, sandbox, words } = props;
  const [chosen, setChosen] = useState(wallet.cards[0]?.id ?? "");
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const sheet = dialog.current as HTMLDialogElement;
    sheet.showModal();
    return growFormToFit(sheet);
  }, []);
  const close = () => dialog.current?.close();
  const pay = () => {
    close();
    void checkout.payWithWallet({ wallet, cardId: chosen });
  };
  return (
    <dialog ref={dialog} class="sheet" aria-labelledby="wallet-title" onClose={props.onClose}>
      <h2 id="wallet-title">
        {words.testWallet} <span class="badge">{sandbox ? words.sandbox : words.testMode}</span>
      </h2>
      <p class="sheet-total">
        <span>{merchant}</span> <strong>{amount}</strong>
      </p>
      <fieldset class="choices">
        <legend>{words.testCards}</legend>
        {wallet.cards.map(({ id, label, brand, last4 }) => (
          <RadioButton
            key={id}
            group="wallet-card"
            checked={chosen === id}
            busy={false}
            onChoose={() => setChosen(id)}
          >
            {brand !== "unknown" && <BrandMark brand={brand} />}
            <span>
              <bdi>
                {brand !== "unknown" && brandName(brand)} <i aria-hidden="true">••••</i> {last4}
              </bdi>{" "}
              <small dir="ltr" lang="en">
                {label}
              </small>
            </span>
          </RadioButton>
        ))}
      </fieldset>
      <button type="button" class="wallet" onClick={pay}>
        {words.pay(amount)}
      </button>
      <button type="button" class="plain" onClick={close}>
        {words.close}
      </button>
    </dialog>
  );
}

/**
 * Makes the form at least as tall as the sheet. The frame on the merchant's page has the height of the form, so a
 * taller sheet would be cut off. Returns a function that restores the form's height.
 */
function growFormToFit(sheet: HTMLElement): () => void {
  const form = document.getElementById("florin") as HTMLElement;
  form.style.minHeight = `calc(${sheet.scrollHeight}px + 1.5rem)`;
  return () => form.style.removeProperty("min-height");
}
