import {
  type AuthorizationOutcome,
  noAcquirer,
  type UnknownOutcome,
} from "../../acquiring/outcome.ts";
import type { ChargeNotification, InquiryOutcome, Processor } from "../../acquiring/processor.ts";
import { createdAt } from "../../core/ids.ts";
import { applyResponse } from "../charges/apply-response.ts";
import {
  inquireStatus,
  rejectPartialApproval,
  reverseCharge,
  sentTerms,
} from "../charges/call-acquirer.ts";
import { type Charge, type ProcessingCharge, wasNeverSent } from "../charges/charge.ts";
import type { ChargeDeps } from "../charges/charge-deps.ts";
import { nextChargeInquiry, notificationWaitMs } from "../charges/inquiry-schedule.ts";
import { recordCharge } from "../charges/record-charge.ts";

/** Sends a status inquiry for a charge with an unknown outcome, and records the result. */
export async function inquireCharge(deps: ChargeDeps, charge: ProcessingCharge): Promise<void> {
  if (wasNeverSent(charge)) return recordInquiry(deps, charge, { kind: "not_sent" });
  const processor = deps.acquirers.of(charge);
  if (!processor) return recordInquiry(deps, charge, noAcquirer);

  let toReverse = charge;
  if (!charge.reversalPending) {
    const response = await findOutcome(deps, processor, charge);
    if (response.kind !== "not_found") return recordInquiry(deps, charge, response);
    const reversing = await beginReversal(deps, charge);
    // Another process has recorded an outcome in the meantime. The charge must not be reversed.
    if (!reversing) return;
    toReverse = reversing;
  }
  return recordInquiry(deps, toReverse, await reverseCharge(processor, toReverse));
}

/** Returns the outcome of the charge. `not_found` means that the charge must be reversed. */
async function findOutcome(
  { clock }: ChargeDeps,
  processor: Processor,
  charge: ProcessingCharge,
): Promise<InquiryOutcome> {
  if (processor.inquire) return inquireStatus(processor, processor.inquire, charge);
  // The acquirer has confirmed receipt of the request and may report the outcome at any later time, so the charge is
  // not reversed.
  if (charge.pendingReason === "acquirer_processing") {
    return { kind: "pending", acquirerReference: null };
  }
  const ageMs = clock.now().getTime() - createdAt(charge.id).getTime();
  return ageMs < notificationWaitMs ? noNotification : { kind: "not_found" };
}

const noNotification: UnknownOutcome = {
  kind: "unknown",
  why: "timeout",
  problem: "no notification of the outcome has arrived",
};

/**
 * Records that a reversal is pending, before the acquirer is called. Otherwise an approval that arrives between the
 * inquiry and the reversal would be recorded as paid although it is then reversed.
 */
async function beginReversal(
  deps: ChargeDeps,
  charge: ProcessingCharge,
): Promise<ProcessingCharge | null> {
  const { charge: stored } = await recordCharge(deps, charge, (current) =>
    current.reversalPending
      ? null
      : {
          ...current,
          version: current.version + 1,
          pendingReason: "outcome_unknown",
          reversalPending: true,
        },
  );
  return isSameAttempt(charge, stored) ? stored : null;
}

/** Returns whether the charge still waits for the same acquirer as before. */
function isSameAttempt(before: ProcessingCharge, after: Charge): after is ProcessingCharge {
  return after.status === "processing" && after.assignmentId === before.assignmentId;
}

async function recordInquiry(
  deps: ChargeDeps,
  charge: ProcessingCharge,
  response: AuthorizationOutcome,
): Promise<void> {
  await recordCharge(deps, charge, (current, now) =>
    applyInquiry(deps, { ...current, inquiries: current.inquiries + 1 }, response, now),
  );
}

/**
 * Applies the response to a status inquiry. After the last scheduled inquiry, a charge without an outcome moves to
 * manual review. A charge never becomes `failed` without a response.
 */
function applyInquiry(
  deps: ChargeDeps,
  charge: ProcessingCharge,
  response: AuthorizationOutcome,
  now: Date,
): Charge | null {
  const next = applyResponse(charge, response, now);
  if (next?.status !== "processing" || nextChargeInquiry(next, now, 0)) return next;
  deps.log.manualReview(charge.id);
  return { ...next, pendingReason: "manual_review" };
}

/**
 * Records the acquirer's reference of a charge that is being reversed, and reverses it by that reference. The acquirer
 * could not cancel the payment by our reference, because the payment is already captured, but it returned its own
 * reference.
 */
export async function reverseFoundPayment(
  deps: ChargeDeps,
  charge: ProcessingCharge,
  acquirerReference: string,
): Promise<void> {
  if (!charge.reversalPending) return;
  const recorded = await recordCharge(deps, charge, (current) =>
    current.acquirerReference === acquirerReference
      ? null
      : { ...current, version: current.version + 1, acquirerReference },
  );
  if (recorded.charge.status === "processing") await inquireCharge(deps, recorded.charge);
}

/**
 * Applies an acquirer's notification. A notification can arrive twice, out of order, or before the response to the
 * request. Changes nothing if the charge is final. Returns the charge afterwards, or null if it does not exist.
 */
export async function applyChargeNotification(
  deps: ChargeDeps,
  { account, livemode, reference, response }: ChargeNotification,
): Promise<Charge | null> {
  const charge = await deps.reads.readCharge({ scope: { account, livemode }, id: reference });
  return charge && applyReportedOutcome(deps, charge, response);
}

/** Applies the outcome that an acquirer reported in a notification. Returns the charge afterwards. */
export async function applyReportedOutcome(
  deps: ChargeDeps,
  charge: Charge,
  reported: AuthorizationOutcome,
): Promise<Charge> {
  if (charge.status !== "processing") return charge;
  // Ignores a notification without an outcome, because recording it would delay the next inquiry.
  if (reported.kind === "pending" || reported.kind === "unknown") return charge;
  const processor = deps.acquirers.of(charge);
  const response = processor ? await rejectPartialApproval(processor, charge, reported) : reported;
  // The reversal of a partial approval had no confirmed result. The next inquiry tries again.
  if (response.kind === "unknown") return charge;
  const recorded = await recordCharge(deps, charge, (current, now) =>
    applyResponse(current, response, now),
  );
  // An approval does not end the reversal of a charge. It contains the reference by which the payment can be reversed.
  if (response.kind === "approved" && isSameAttempt(charge, recorded.charge)) {
    await inquireCharge(deps, recorded.charge);
  }
  return recorded.charge;
}

/**
 * Returns whether the acquirer has canceled or fully refunded the payment of a charge, according to an inquiry.
 * False for an acquirer without inquiries.
 */
export async function isEnded(
  { acquirers }: Pick<ChargeDeps, "acquirers">,
  charge: Charge,
  acquirerReference: string,
): Promise<boolean> {
  const processor = acquirers.of(charge);
  const keys = { attempt: "late", series: "late" };
  const sent = { ...sentTerms(charge), acquirerReference, ...keys };
  return (await processor?.inquire?.(sent))?.kind === "not_sent";
}

/**
 * Reverses a payment that the acquirer has approved after its charge had failed or was canceled. The charge does not
 * change. A repeated call sends the same request. Returns false if the acquirer could not be called or has not
 * confirmed the request.
 */
export async function reverseLateApproval(
  { acquirers }: Pick<ChargeDeps, "acquirers">,
  charge: Charge,
  acquirerReference: string,
): Promise<boolean> {
  const processor = acquirers.of(charge);
  if (!processor) return false;
  // This reversal has its own keys. With the keys of an earlier reversal of the charge, the acquirer would return the
  // earlier response again.
  const keys = { attempt: "late", series: "late" };
  const sent = { ...sentTerms(charge), acquirerReference, ...keys };
  return (await processor.reverse(sent)).kind !== "unknown";
}
