import type { FrameSession } from "@florin/contract/frame.ts";
import type { Checkout } from "./checkout.ts";
import type { Words } from "./locales/words.ts";

/** The properties of the button of a wallet. */
export type WalletProps = {
  readonly checkout: Checkout;
  readonly busy: boolean;
  readonly merchant: string;
  readonly amount: string;
  /** True in the live mode of a service that uses acquirers' sandboxes. */
  readonly sandbox: boolean;
  readonly words: Words;
};

/** The properties of the buttons of live mode's wallets. */
export type LiveWalletProps = WalletProps & {
  readonly price: Pick<FrameSession, "amount" | "currency">;
  /** The BCP 47 tag of the button's language. */
  readonly tag: string;
  /** True if the button is on a dark background. */
  readonly isDark: boolean;
};
