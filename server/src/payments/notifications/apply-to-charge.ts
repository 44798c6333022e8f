import type { Assignment } from "../../acquiring/connections/assignment.ts";
import type { LiveEvent, LiveNotification } from "../../acquiring/live-notification.ts";
import type { Charge } from "../charges/charge.ts";
import {
  applyReportedOutcome,
  isEnded,
  reverseFoundPayment,
  reverseLateApproval,
} from "../inquiries/inquire-charge.ts";
import { canBeAuthorizedAlone, readAuthorization } from "../three-d-secure/authenticate-charge.ts";
import { isReversed, type PendingNotification } from "./acquirer-notification.sql.ts";
import { applyCaptureFailure } from "./apply-capture-failure.ts";
import { applyDispute } from "./apply-dispute.ts";
import type { NotificationJobDeps } from "./notification-job-deps.ts";
import {
  applied,
  ignored,
  inReview,
  type NotificationResult,
  retryAfter,
  retryLater,
} from "./notification-result.ts";
import { hasMoney, isSecondApproval, mismatch } from "./notified-charge.ts";

/** Applies a notification about a charge that was sent over the assignment. */
export async function applyToCharge(
  deps: NotificationJobDeps,
  pending: PendingNotification,
  notification: LiveNotification,
  charge: Charge,
  assignment: Assignment,
): Promise<NotificationResult> {
  const { event } = notification;
  const different = mismatch(deps, notification, assignment, charge.price);
  if (different) return different;
  if (event.kind === "dispute") {
    return applyDispute(deps.disputes, charge, assignment.connection, notification, event, pending);
  }
  const ending = await unconfirmedEnding(deps, notification, charge);
  if (ending) return applyToUnconfirmed(deps, pending, notification, charge, ending);
  if (event.kind === "capture_failed") {
    // The notification of the approval may arrive after that of the failure.
    const isEarly = charge.status === "processing" || charge.status === "requires_action";
    const later = isEarly ? retryLater(deps, pending) : null;
    if (later) return later;
    if (charge.status === "succeeded" || charge.status === "failed") {
      return applyCaptureFailure(deps, charge, null, assignment);
    }
  }
  const response = chargeOutcome(event);
  if (response === null)
    return inReview(`Florin cannot apply the event '${event.kind}' automatically.`);
  if (response === "none") {
    const { paymentReference } = notification;
    if (event.kind !== "technical_cancellation" || paymentReference === null) return ignored;
    if (charge.status !== "processing") return ignored;
    await reverseFoundPayment(deps.charges, charge, paymentReference);
    return applied;
  }
  // The cardholder is on the acquirer's page. The cardholder's return or the deadline must determine the outcome first.
  // If the acquirer authorizes payments before the return, its approval already determines the outcome, which is read
  // here.
  if (charge.status === "requires_action") {
    const isRead = response.kind === "approved" && (await readAuthorization(deps.charges, charge));
    return retryAfter(deps, isRead ? 1_000 : 30_000);
  }
  const after = await applyReportedOutcome(deps.charges, charge, response);
  // The charge was sent over another connection in the meantime. The retry compares the notification with that attempt.
  if (after.assignmentId !== charge.assignmentId) return retryAfter(deps, 1_000);
  // Uses the recorded charge and not the one read earlier, because another notification may have been applied in the
  // meantime.
  const isSecond = response.kind === "approved" && isSecondApproval(after, notification);
  if (isSecond || contradicts(after, response.kind)) {
    if (await isOutdated(deps, notification, response.kind, after, assignment)) return ignored;
    return inReview(
      isSecond
        ? "The acquirer approved the charge a second time, as another payment."
        : `The charge is '${after.status}', but the acquirer reports '${event.kind}'.`,
    );
  }
  return charge.status === "processing" ? applied : ignored;
}

/** Returns whether a notification that contradicts the charge is older than the end of the charge's payment. */
async function isOutdated(
  { database, charges }: NotificationJobDeps,
  { paymentReference }: LiveNotification,
  reported: string,
  charge: Charge,
  { connection }: Assignment,
): Promise<boolean> {
  // The approval is older than the failure of the capture.
  if (charge.status === "failed" && charge.failureEntry) return true;
  if (!paymentReference) return false;
  // The approval is older than the confirmed reversal of the same payment.
  if (await isReversed(database.read, connection, paymentReference)) return true;
  // Some acquirers send no notification of a reversal. An inquiry then shows whether the payment was reversed.
  if (reported !== "approved" || charge.status !== "failed") return false;
  return isEnded(charges, charge, paymentReference);
}

/**
 * Describes how a charge ended if the acquirer has not confirmed its end: an operator marked it as failed, or the
 * authentication was canceled at an acquirer that can still authorize the payment. Returns null for any other charge.
 */
async function unconfirmedEnding(
  { charges }: NotificationJobDeps,
  { paymentReference }: LiveNotification,
  charge: Charge,
): Promise<string | null> {
  if (charge.status === "failed" && charge.unconfirmed)
    return "An operator marked the charge as failed";
  const isEnded =
    charge.status === "canceled" || (charge.status === "failed" && charge.failureEntry === null);
  if (!isEnded || paymentReference === null || charge.acquirerReference !== paymentReference)
    return null;
  return (await canBeAuthorizedAlone(charges, charge)) ? "The authentication was canceled" : null;
}

/**
 * Applies an event of a charge whose end the acquirer has not confirmed. If the acquirer has approved the payment after
 * all, it is reversed, because the customer was told that the payment failed. The confirmation of the reversal arrives
 * in another notification.
 */
async function applyToUnconfirmed(
  deps: NotificationJobDeps,
  pending: PendingNotification,
  { event, paymentReference }: LiveNotification,
  charge: Charge,
  ending: string,
): Promise<NotificationResult> {
  const lateApproval = `${ending}, and the acquirer approved the payment later.`;
  switch (event.kind) {
    case "authorization":
      if (event.outcome.kind !== "approved") return ignored;
      break;
    case "technical_cancellation":
      if (event.succeeded) return ignored;
      break;
    case "reversal":
      return event.succeeded ? ignored : inReview(`${lateApproval} Its reversal failed.`);
    case "authorization_expired":
      return ignored;
    default:
      return inReview(`${ending}, but the acquirer reports '${event.kind}'.`);
  }
  // The last cancellation did not find the payment.
  if (paymentReference === null) return ignored;
  if (await isReversed(deps.database.read, pending.connection, paymentReference)) return ignored;
  // The approval is older than the end of the charge.
  if (await isEnded(deps.charges, charge, paymentReference)) return ignored;
  if (await reverseLateApproval(deps.charges, charge, paymentReference)) {
    deps.log.lateApprovalReversed(charge.id);
    return applied;
  }
  return (
    retryLater(deps, pending) ?? inReview(`${lateApproval} The acquirer did not accept a reversal.`)
  );
}

/**
 * Returns the outcome that follows from the event. Returns `none` if no outcome follows, and null if an operator must
 * decide.
 */
function chargeOutcome(event: LiveEvent) {
  switch (event.kind) {
    case "authorization":
      return event.outcome;
    case "technical_cancellation":
    case "reversal":
      // No outcome follows from a failed cancellation, because the payment may arrive later.
      return event.succeeded ? ({ kind: "not_sent" } as const) : "none";
    case "authorization_expired":
      // No outcome follows, because the job that voids expired authorizations ends the charge.
      return "none";
    default:
      return null;
  }
}

/**
 * Returns whether the reported outcome contradicts a final charge: according to one of them money moved, and according
 * to the other it did not.
 */
function contradicts(charge: Charge, reported: string): boolean {
  return reported === "approved" ? charge.status === "failed" : hasMoney(charge);
}
