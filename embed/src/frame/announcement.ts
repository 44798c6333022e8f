import { fieldOrder } from "../card/card-fields.ts";
import type { CheckoutState } from "./checkout.ts";
import { declineMessage } from "./decline-messages.ts";
import { labelOf } from "./field-label.ts";
import type { Words } from "./locales/words.ts";
import { screenOf } from "./screen.ts";
import { walletName } from "./wallet-name.ts";

export type Banner = { readonly title: string; readonly text: string };

/**
 * Returns the failure of the last attempt, to show above the form. Returns null if there is no failure or an attempt is
 * in progress.
 */
export function bannerOf(state: CheckoutState, words: Words): Banner | null {
  const { session, notice } = state;
  if (!session || state.busy) return null;
  const screen = screenOf(session);
  if (screen.name !== "form") return null;
  if (notice?.kind === "card") {
    return { title: words.cardRejectedTitle, text: declineMessage(words, notice.code, null) };
  }
  if (notice?.kind === "rejected") return { title: words.rejectedTitle, text: words.rejected };
  if (notice?.kind === "no_response")
    return { title: words.noResponseTitle, text: words.noResponse };
  if (notice?.kind === "wallet") {
    return { title: words.walletFailedTitle(walletName(notice.code)), text: words.walletFailed };
  }
  if (!screen.declined) return null;
  const { code, decline_code } = screen.declined;
  const text = [
    declineMessage(words, code, decline_code),
    // The issuer's message to the cardholder must be shown verbatim (EMV 3-D Secure).
    session.bank_message && `“${session.bank_message}”`,
    screen.triesLeft === 1 && words.lastTry,
  ];
  const title =
    decline_code === "authentication_canceled" ? words.authCanceledTitle : words.declinedTitle;
  return { title, text: text.filter(Boolean).join(" ") };
}

/**
 * Returns the text to show while the payment takes longer than usual, or null. Without a connection, the text says that
 * the outcome will be read after the connection returns.
 */
export function delayText({ busy, delay, offline }: CheckoutState, words: Words): string | null {
  if (offline && (busy || delay)) return words.offline;
  if (delay === null) return null;
  return delay === "slow" ? words.waiting : `${words.waiting} ${words.keepOpen}`;
}

/** Returns the text of the live region, which screen readers announce. */
export function announcementOf(state: CheckoutState, words: Words, tag: string): string {
  const delay = delayText(state, words);
  if (state.busy) return delay ?? words.paying;
  if (delay) return delay;
  const banner = bannerOf(state, words);
  if (banner) return `${banner.title}. ${banner.text}`;
  if (!state.focus) return "";
  const labels = fieldOrder.filter((field) => state.problems[field]);
  if (labels.length === 0) return "";
  const list = new Intl.ListFormat(tag, { type: "unit" });
  return words.fieldsToCorrect(list.format(labels.map((field) => labelOf(words, field))));
}
