import type { DeclineCode } from "@florin/contract/declines.ts";
import type { CardRecord } from "../cards/payment-methods/card-record.ts";
import type { Assessment } from "./assess.ts";

/**
 * The maximum number of declines of one card at one merchant, well below the networks' limits. Visa allows 20 in 30
 * days and Mastercard 10 a day. More declines cost fees and are typical of card testing.
 */
const maxDeclines = { inDay: 8, in30Days: 14 } as const;

/**
 * Declines a payment whose card has too many declines, or whose issuer forbids further attempts. The payment is not
 * sent to the issuer.
 */
export function withinCardLimits(assessment: Assessment, record: CardRecord | null): Assessment {
  const limit = record && limitOf(record);
  if (!limit || assessment.verdict === "decline") return assessment;
  const { decline, reason } = limit;
  const reasons = [...assessment.reasons, reason];
  return { ...assessment, verdict: "decline", authenticate: false, decline, reasons };
}

/** Returns whether one more decline of the card stays within the limits. */
export function isWithinCardLimits({
  declinesInDay,
  declinesIn30Days,
}: Pick<CardRecord, "declinesInDay" | "declinesIn30Days">): boolean {
  return declinesInDay < maxDeclines.inDay && declinesIn30Days < maxDeclines.in30Days;
}

function limitOf(record: CardRecord): { decline: DeclineCode; reason: string } | null {
  // Repeats the issuer's decline code, so that the advice and the customer's message stay the same.
  if (record.lastNever) return { decline: record.lastNever, reason: "card_must_not_be_retried" };
  if (isWithinCardLimits(record)) return null;
  return { decline: "card_decline_rate_limit_exceeded", reason: "card_declined_too_often" };
}
