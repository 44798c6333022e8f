import { type DeclineCode, declineCodes } from "@florin/contract/declines.ts";

/** The declines of a merchant's charges and card verifications with one card number in the past 30 days. */
export type CardRecord = {
  readonly declinesInDay: number;
  readonly declinesIn30Days: number;
  /** The latest decline code of the past 24 hours that forbids a retry with the card. Null if there is none. */
  readonly lastNever: DeclineCode | null;
};

/** The decline codes after which a card must not be retried for a day. */
export const noRetryDeclines: readonly DeclineCode[] = (
  Object.keys(declineCodes) as DeclineCode[]
).filter(
  (code) =>
    declineCodes[code].retry === "never" || declineCodes[code].adviceCode === "do_not_try_again",
);
