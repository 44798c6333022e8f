import type { OfferedApplePay } from "@florin/contract/frame.ts";
import { useRef } from "preact/hooks";
import { openApplePay } from "./apple-pay.ts";
import type { LiveWalletProps } from "./wallet-props.ts";

/** The Apple Pay button, which Safari draws in the language of its `lang` attribute. */
export function ApplePayButton(props: LiveWalletProps & { readonly wallet: OfferedApplePay }) {
  const { wallet, checkout, price, busy, words, tag, isDark } = props;
  const isOpen = useRef(false);
  const open = (): void => {
    if (busy || isOpen.current) return;
    isOpen.current = true;
    openApplePay(wallet, price, {
      startSession: checkout.startAppleSession,
      pay: (token) => checkout.payWithWallet({ wallet, token }),
      failed: () => checkout.reportWalletFailure(wallet),
      closed: () => {
        isOpen.current = false;
      },
    });
  };
  return (
    <button
      type="button"
      class={`apple-pay${isDark ? " on-dark" : ""}`}
      lang={tag}
      aria-label={words.payWith("Apple Pay")}
      aria-disabled={busy}
      onClick={open}
    />
  );
}
