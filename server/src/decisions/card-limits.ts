import type { DeclineCode } from "@florin/contract/declines.ts";
import type { CardRecord } from "../payment-methods/card-record.ts";
import type { Assessment } from "./assess.ts";

/**
 * How often a merchant's attempts on one card may be declined. Visa lets 20 in 30 days pass, Mastercard 10 a day; what
 * lies beyond costs fees, and is what testing stolen numbers looks like. We stop well before.
 */
const mostDeclines = { inDay: 8, in30Days: 14 } as const;

/** Holds back a card that was declined too often, or that its bank has said not to try again; its bank is not asked. */
export function withinCardLimits(assessment: Assessment, record: CardRecord | null): Assessment {
  const limit = record && limitOf(record);
  if (!limit || assessment.verdict === "decline") return assessment;
  const { decline, reason } = limit;
  const reasons = [...assessment.reasons, reason];
  return { ...assessment, verdict: "decline", authenticate: false, decline, reasons };
}

function limitOf(record: CardRecord): { decline: DeclineCode; reason: string } | null {
  // Answered as its bank answered: the advice is the same, and so is what the customer is told.
  if (record.lastNever) return { decline: record.lastNever, reason: "card_must_not_be_retried" };
  if (
    record.declinesInDay < mostDeclines.inDay &&
    record.declinesIn30Days < mostDeclines.in30Days
  ) {
    return null;
  }
  return { decline: "card_decline_rate_limit_exceeded", reason: "card_declined_too_often" };
}
