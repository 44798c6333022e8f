import type { OfferedGooglePay } from "@florin/contract/frame.ts";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { newNonce } from "../protocol/google-pay-message.ts";
import {
  buttonLanguage,
  connectGooglePay,
  type GooglePayFrame,
  googleTotal,
  tokenizationOf,
} from "./google-pay-frame.ts";
import type { LiveWalletProps } from "./wallet-props.ts";

/**
 * The time limit for the button. A button that appears later would move the fields while the customer fills them in.
 */
const readyDeadlineMs = 6_000;

/** The space around the button in its frame, as in `styles/wallets.css`. */
const focusRingPx = 4;

/**
 * The capabilities of the page with Google's script, which are those that Google requires
 * (https://developers.googleblog.com/en/google-pay-inside-sandboxed-iframe-for-pci-dss-v4-compliance).
 * `allow-same-origin` keeps the page's own origin, which differs from this one.
 */
const sandbox = "allow-scripts allow-popups allow-same-origin allow-forms";

type GooglePayButtonProps = LiveWalletProps & {
  readonly wallet: OfferedGooglePay;
  readonly isReady: boolean;
  /** Called when the button becomes available or unavailable. */
  readonly onReady: (isReady: boolean) => void;
};

/** The page with Google Pay's button. It is invisible and takes no space until the page has drawn the button. */
export function GooglePayButton(props: GooglePayButtonProps) {
  const { wallet, checkout, price, busy, tag, isDark, isReady } = props;
  const element = useRef<HTMLIFrameElement>(null);
  const bridge = useRef<GooglePayFrame | null>(null);
  const [nonce] = useState(newNonce);
  const [isAbandoned, setAbandoned] = useState(false);
  const total = googleTotal(price.amount, price.currency);
  // The callbacks of the latest render, because the bridge outlives a render.
  const latest = useRef(props);
  latest.current = props;

  useLayoutEffect(() => {
    const frame = element.current;
    if (!frame) return;
    const connected = connectGooglePay(frame, new URL(wallet.page_url), nonce, {
      ready() {
        clearTimeout(deadline);
        latest.current.onReady(true);
      },
      unavailable: () => latest.current.onReady(false),
      paid: (token) => checkout.payWithWallet({ wallet: latest.current.wallet, token }),
      failed: () => checkout.reportWalletFailure(latest.current.wallet),
      rejected() {
        setAbandoned(true);
        latest.current.onReady(false);
      },
    });
    const deadline = setTimeout(() => setAbandoned(true), readyDeadlineMs);
    bridge.current = connected;
    return () => {
      clearTimeout(deadline);
      connected.close();
    };
  }, [wallet.page_url, nonce, checkout]);

  useLayoutEffect(() => {
    if (total === null) return;
    const { borderRadius } = getComputedStyle(element.current ?? document.body);
    bridge.current?.configure({
      environment: wallet.environment,
      merchant_id: wallet.merchant_id,
      merchant_name: wallet.merchant_name,
      total,
      currency: price.currency.toUpperCase(),
      country: wallet.country_code,
      networks: wallet.allowed_card_networks,
      auth_methods: wallet.allowed_auth_methods,
      tokenization: tokenizationOf(wallet),
      color: isDark ? "white" : "black",
      radius: Math.max(0, Math.round(Number.parseFloat(borderRadius)) - focusRingPx) || 0,
      language: buttonLanguage(tag),
    });
  }, [wallet, total, price.currency, isDark, tag]);

  // The frame is inert during a payment, so it loses the focus. Returns the focus to the frame afterwards.
  const hadFocus = useRef(false);
  useLayoutEffect(() => {
    if (busy) hadFocus.current = document.activeElement === element.current;
    else if (hadFocus.current && document.activeElement === document.body) element.current?.focus();
  }, [busy]);

  if (total === null || (isAbandoned && !isReady)) return null;
  return (
    <iframe
      ref={element}
      class="google-pay"
      title="Google Pay"
      src={`${wallet.page_url}#${nonce}`}
      allow="payment"
      sandbox={sandbox}
      inert={busy}
      data-ready={isReady}
    />
  );
}
