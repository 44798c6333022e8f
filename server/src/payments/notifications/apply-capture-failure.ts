import type { Assignment } from "../../acquiring/connections/assignment.ts";
import type { OperationId } from "../../core/ids.ts";
import type { Charge } from "../charges/charge.ts";
import { failCapture } from "../operations/fail-capture.ts";
import type { NotificationJobDeps } from "./notification-job-deps.ts";
import { applied, inReview, type NotificationResult } from "./notification-result.ts";

/**
 * Fails a captured charge. If a server is killed after this commit and before it records the result, the notification
 * is handled again and finds the charge failed.
 */
export async function applyCaptureFailure(
  { operations }: Pick<NotificationJobDeps, "operations">,
  { scope, id: chargeId }: Pick<Charge, "scope" | "id">,
  operationId: OperationId | null,
  { connection, merchantAccount }: Assignment,
): Promise<NotificationResult> {
  const settledBy = { connection, merchantAccount };
  const result = await failCapture(operations, { scope, chargeId, operationId, settledBy });
  return result === "has_refunds_or_disputes"
    ? inReview(
        "The capture failed after it had succeeded, but the charge has refunds or disputes. Apply this notification again if the charge's refunds fail and its disputes are won.",
      )
    : applied;
}
