import { type DeclineCode, declineCodes } from "@florin/contract/declines.ts";

/** What a merchant's earlier attempts on the same card number came to at its bank. */
export type CardRecord = {
  readonly declinesInDay: number;
  readonly declinesIn30Days: number;
  /** The last decline of the past 24 hours after which the card is not to be tried again. */
  readonly lastNever: DeclineCode | null;
};

/** Declines after which the same card is not to be tried again for a day. */
export const neverAgain: readonly DeclineCode[] = (
  Object.keys(declineCodes) as DeclineCode[]
).filter(
  (code) =>
    declineCodes[code].retry === "never" || declineCodes[code].adviceCode === "do_not_try_again",
);
