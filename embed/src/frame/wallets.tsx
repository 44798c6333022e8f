import type { OfferedTestWallet, OfferedWallet } from "@florin/contract/frame.ts";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { brandName } from "../card/brand.ts";
import { BrandMark } from "./brand-mark.tsx";
import type { Checkout } from "./checkout.ts";
import type { Words } from "./locales/words.ts";
import { Choice } from "./radio-choice.tsx";

type WalletProps = {
  readonly checkout: Checkout;
  readonly busy: boolean;
  readonly merchant: string;
  readonly amount: string;
  /** True in the live mode of a service that uses acquirers' sandboxes. */
  readonly sandbox: boolean;
  readonly words: Words;
};

/** The buttons of the wallets above the fields of the card. Renders nothing without wallets. */
export function Wallets(props: WalletProps & { readonly wallets: readonly OfferedWallet[] }) {
  const testWallets = props.wallets.filter((wallet) => wallet.type === "test_wallet");
  if (testWallets.length === 0) return null;
  return (
    <div class="wallets">
      {testWallets.map((wallet) => (
        <TestWallet key={wallet.type} {...props} wallet={wallet} />
      ))}
      <p class="or">{props.words.orCard}</p>
    </div>
  );
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
    void checkout.payWithWallet(wallet, chosen);
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
          <Choice
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
          </Choice>
        ))}
      </fieldset>
      <button type="button" class="wallet" onClick={pay}>
        {words.pay(amount)}
      </button>
      <button type="button" class="chip" onClick={close}>
        {words.close}
      </button>
    </dialog>
  );
}

/**
 * Makes the form at least as high as the sheet. The frame on the merchant's page has the height of the form, so a
 * higher sheet would be cut off. Returns a function that restores the form's height.
 */
function growFormToFit(sheet: HTMLElement): () => void {
  const form = document.getElementById("florin") as HTMLElement;
  form.style.minHeight = `calc(${sheet.scrollHeight}px + 1.5rem)`;
  return () => form.style.removeProperty("min-height");
}
