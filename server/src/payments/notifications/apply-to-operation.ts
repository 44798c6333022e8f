import type { Assignment } from "../../acquiring/connections/assignment.ts";
import type { LiveEvent, LiveNotification } from "../../acquiring/live-notification.ts";
import type { OperationOutcome } from "../../acquiring/outcome.ts";
import { applyOperationNotification, inquireAgain } from "../operations/operation.jobs.ts";
import { readOperation } from "../operations/operation.sql.ts";
import { hasFailedLater, type PendingNotification } from "./acquirer-notification.sql.ts";
import { applyCaptureFailure } from "./apply-capture-failure.ts";
import type { NotificationJobDeps } from "./notification-job-deps.ts";
import {
  applied,
  ignored,
  inReview,
  type NotificationResult,
  retryLater,
} from "./notification-result.ts";
import { mismatch } from "./notified-charge.ts";
import type { NotifiedOperation } from "./notified-payment.sql.ts";

/** Applies a notification about a capture, void or refund whose charge was sent over the assignment. */
export async function applyToOperation(
  deps: NotificationJobDeps,
  pending: PendingNotification,
  notification: LiveNotification,
  { id, scope }: NotifiedOperation,
  assignment: Assignment,
): Promise<NotificationResult> {
  const { event, acquirerReference } = notification;
  const operation = await readOperation(deps.database.read, scope, id);
  if (!operation) return inReview("The operation does not exist.");
  const different = mismatch(deps, notification, assignment, operation.price);
  if (different) return different;
  const response = operationResult(event, acquirerReference);
  if (response === null)
    return inReview(`Florin cannot apply the event '${event.kind}' automatically.`);
  // The notification of the success may arrive after that of the failure.
  if (event.kind === "capture_failed" && operation.status === "processing") {
    const later = retryLater(deps, pending);
    if (later) return later;
  }
  const after = await applyOperationNotification(deps.operations, {
    account: scope.account,
    livemode: scope.livemode,
    reference: id,
    response,
  });
  // Uses the recorded operation and not the one read earlier, because another notification may have been applied in the
  // meantime.
  if (response.kind === "declined" && after?.status === "succeeded") {
    if (event.kind === "capture_failed" && after.kind === "capture") {
      const charge = { scope, id: after.chargeId };
      return applyCaptureFailure(deps, charge, id, assignment);
    }
    return inReview(`The ${after.kind} failed after it had succeeded.`);
  }
  if (response.kind === "done" && after?.status === "failed") {
    // The success is older than the failure, which was applied first.
    const failures =
      after.kind === "capture"
        ? { references: [id, after.chargeId], notBefore: notification.createdAt }
        : { references: [id], notBefore: null };
    if (await hasFailedLater(deps.database.read, assignment.connection, failures)) return ignored;
    // An inquiry returned the failure, whose notification has not arrived yet.
    if ((await inquireAgain(deps.operations, after))?.kind === "declined") return ignored;
    return inReview(`The ${after.kind} has failed, but the acquirer reports that it succeeded.`);
  }
  return operation.status === "processing" ? applied : ignored;
}

/** Returns the outcome that follows from the event, or null if the event is not about an operation. */
function operationResult(event: LiveEvent, acquirerReference: string): OperationOutcome | null {
  switch (event.kind) {
    case "capture":
    case "refund":
    case "cancellation":
      return event.succeeded
        ? { kind: "done", acquirerReference }
        : { kind: "declined", code: "processing_error", reason: event.reason };
    case "capture_failed":
    case "refund_failed":
    case "refund_reversed":
      return { kind: "declined", code: "processing_error", reason: event.reason };
    default:
      return null;
  }
}
