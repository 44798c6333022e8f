import { type DeclineCode, declineCodes } from "@florin/contract/declines.ts";

/** The outcomes of a merchant's earlier attempts with the same card number. */
export type CardRecord = {
  readonly declinesInDay: number;
  readonly declinesIn30Days: number;
  /** The last decline of the past 24 hours that forbids a retry of the card. */
  readonly lastNever: DeclineCode | null;
};

/** Declines after which a card must not be retried for a day. */
export const neverAgain: readonly DeclineCode[] = (
  Object.keys(declineCodes) as DeclineCode[]
).filter(
  (code) =>
    declineCodes[code].retry === "never" || declineCodes[code].adviceCode === "do_not_try_again",
);
