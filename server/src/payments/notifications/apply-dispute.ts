import { caseIdOf, secondCaseIdOf } from "../../acquiring/connections/dispute-case-id.ts";
import { connectors } from "../../acquiring/connectors.ts";
import type { DisputeEvent, LiveNotification } from "../../acquiring/live-notification.ts";
import { type ConnectionId, createdAt } from "../../core/ids.ts";
import { type Money, moneyText } from "../../core/money.ts";
import type { Charge } from "../charges/charge.ts";
import { readDisputeOfCase } from "../disputes/dispute.sql.ts";
import { type Dispute, holdsFunds } from "../disputes/dispute.ts";
import {
  applyDisputeNotification,
  type DisputeDeps,
  isOpen,
  recordConfirmedResponse,
  recordRejectedResponse,
  recordSecondChargeback,
} from "../disputes/record-dispute.ts";
import type { PendingNotification } from "./acquirer-notification.sql.ts";
import {
  applied,
  ignored,
  inReview,
  type NotificationResult,
  retryAfter,
  retryLater,
} from "./notification-result.ts";

/**
 * The state of a dispute after each event. Null for events that only concern the response. `reversed` counts as won,
 * although Adyen can report a second chargeback afterwards, which is then recorded as another dispute.
 */
const stateAfter: Readonly<Record<DisputeEvent["state"], "open" | "won" | "lost" | null>> = {
  open: "open",
  responded: null,
  undefended: null,
  reversed: "won",
  second_chargeback: "lost",
  won: "won",
  lost: "lost",
};

/** Applies an event of a dispute to its charge. */
export async function applyDispute(
  deps: DisputeDeps,
  charge: Charge,
  connection: ConnectionId,
  { acquirerReference, price }: LiveNotification,
  event: DisputeEvent,
  pending: Pick<PendingNotification, "processor" | "receivedAt">,
): Promise<NotificationResult> {
  // The notification of the capture may arrive after the notification of the dispute.
  if (charge.status === "processing" || charge.status === "authorized") {
    return retryAfter(deps, 60_000);
  }
  if (charge.status !== "succeeded") {
    return inReview(`The charge is '${charge.status}', so it cannot be disputed.`);
  }
  const state = stateAfter[event.state];
  if (price && price.currency !== charge.price.currency) {
    return inReview("The dispute's currency differs from the charge's currency.");
  }
  const { scope } = charge;
  const networkCase = caseIdOf(connection, acquirerReference);
  const isInquiry = event.stage === "inquiry";
  const known = await readDisputeOfCase(deps.database.read, scope, networkCase);
  // The notification of the opening may arrive after this one, or another worker may be applying it.
  const early = known === null && state !== "open" ? retryLater(deps, pending) : null;
  if (early) return early;
  if (state === null) return applyResponseEvent(deps, known, event, pending);
  const later =
    known &&
    (await applyAfterReversal(deps, known, secondCaseIdOf(connection, acquirerReference), {
      event,
      state,
      price,
      pending,
    }));
  if (later) return later;
  const escalates = known?.isInquiry && !isInquiry;
  if (known && state === "open" && !escalates) return shortfall(price, known) ?? ignored;
  if (!known && state !== "open")
    return inReview("The acquirer reported the outcome of a dispute that Florin did not record.");
  const result = await applyDisputeNotification(deps, {
    account: scope.account,
    livemode: scope.livemode,
    networkCase,
    acquirerReference,
    charge: charge.id,
    // An event without a reason code does not change the recorded reason.
    reason: hasReason(event) ? event.disputeReason : (known?.reason ?? event.disputeReason),
    isInquiry,
    amountMinor: price?.amountMinor ?? null,
    evidenceDueAt: event.defensePeriodEndsAt,
    state,
  });
  if (result === "no_amount_left") {
    return inReview("The whole amount of the charge is already refunded or disputed.");
  }
  if ("applied" in result) {
    if (state === "open" && !isInquiry && result.dispute?.isInquiry) {
      return inReview("The acquirer turned a closed inquiry into a chargeback.");
    }
    return (result.dispute && shortfall(price, result.dispute)) ?? applied;
  }
  // Compares the recorded status and not `known`, because the merchant may have accepted the dispute in the meantime.
  return result.decided === state
    ? ignored
    : inReview(`The dispute is '${result.decided}', but the acquirer reports '${state}'.`);
}

/**
 * Applies an event that concerns the second chargeback of a dispute. Returns null for any other event. Adyen reverses a
 * chargeback when it submits the evidence, and debits the amount again (SECOND_CHARGEBACK) if the issuer rejects it.
 */
async function applyAfterReversal(
  deps: DisputeDeps,
  first: Dispute,
  networkCase: string,
  {
    event,
    state,
    price,
    pending,
  }: {
    readonly event: DisputeEvent;
    readonly state: "open" | "won" | "lost";
    readonly price: Money | null;
    readonly pending: Pick<PendingNotification, "processor" | "receivedAt">;
  },
): Promise<NotificationResult | null> {
  if (first.isInquiry || state === "open") return null;
  const isSecond = event.state === "second_chargeback";
  // The notification of the reversal arrives later, or is being applied. If it does not arrive within a day, the open
  // dispute itself is recorded as lost. The merchant's balance is then the same as after a reversal and a second
  // chargeback.
  if (isOpen(first)) return isSecond ? retryLater(deps, pending) : null;
  if (first.status === "lost") return null;
  const second = await readDisputeOfCase(deps.database.read, first.scope, networkCase);
  if (second && state === "lost") return shortfall(price, second) ?? ignored;
  if (second) {
    return pending.receivedAt <= createdAt(second.id)
      ? ignored
      : inReview("The acquirer reported that the dispute was won after its second chargeback.");
  }
  if (!isSecond) {
    // The decision of a later stage can arrive before the second chargeback, which moves the money.
    const waits = state === "lost" && event.stage !== "chargeback";
    return waits && connectors[pending.processor].sendsSecondChargebacks
      ? retryLater(deps, pending)
      : null;
  }
  const amountMinor = price?.amountMinor ?? first.price.amountMinor;
  const result = await recordSecondChargeback(deps, first, { networkCase, amountMinor });
  if (result === "no_amount_left") {
    return inReview("The whole amount of the charge is already refunded or disputed.");
  }
  const dispute = "applied" in result ? result.dispute : null;
  return (dispute && shortfall(price, dispute)) ?? applied;
}

/**
 * Returns the result for a dispute whose debit is smaller than the amount that the acquirer reports, or null. A dispute
 * debits at most the amount of the charge that is neither refunded nor disputed, but the acquirer debits the amount
 * that it reports. An operator must correct the difference.
 */
function shortfall(notified: Money | null, dispute: Dispute): NotificationResult | null {
  const { amountMinor, currency } = dispute.price;
  if (!notified || !holdsFunds(dispute) || notified.amountMinor <= amountMinor) return null;
  const disputed = moneyText(notified.amountMinor, currency);
  const debited = moneyText(amountMinor, currency);
  return inReview(
    `The acquirer disputes ${disputed}, but only ${debited} of the charge was neither refunded nor disputed. Florin has debited this part.`,
  );
}

function hasReason({ reasonCode, disputeReason }: DisputeEvent): boolean {
  return reasonCode !== null || disputeReason !== "general";
}

/**
 * Applies an event about the response. INFORMATION_SUPPLIED confirms a response whose outcome is unknown, and
 * DISPUTE_DEFENSE_PERIOD_ENDED proves that the response did not arrive. The events of pre-arbitration are not about
 * this response, and are ignored. So is the response to an inquiry that has become a chargeback.
 */
async function applyResponseEvent(
  deps: DisputeDeps,
  known: Dispute | null,
  { stage, state }: DisputeEvent,
  pending: Pick<PendingNotification, "receivedAt">,
): Promise<NotificationResult> {
  if (!known || stage === "pre_arbitration") return ignored;
  if (stage === "inquiry" && !known.isInquiry) return ignored;
  if (state === "responded") {
    // The notification of the chargeback may arrive after the notification of its response.
    const isEarly = stage === "chargeback" && known.isInquiry && isOpen(known);
    const later = isEarly ? retryLater(deps, pending) : null;
    if (later) return later;
    // An event without a stage is about the stage that was recorded when the event arrived.
    const isToInquiry = stage === "inquiry" || (stage === null && known.isInquiry);
    await recordConfirmedResponse(deps, known, { isToInquiry });
    return applied;
  }
  if (known.status !== "under_review" || known.responseDueAt === null) return ignored;
  await recordRejectedResponse(
    deps,
    known,
    "The acquirer received no evidence before its deadline.",
  );
  return applied;
}
