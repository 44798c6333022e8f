import type { Clock } from "../../core/clock.ts";
import type { Timers } from "../../core/timers.ts";
import type { Database } from "../../platform/database/database.ts";
import type { DisputeDeps } from "../disputes/record-dispute.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import type { AuthenticationDeps } from "../three-d-secure/three-d-secure-deps.ts";
import type { BatchedNotifications } from "./batched-notifications.ts";
import type { NotifiedDeps } from "./notified-charge.ts";

/** The dependencies of the job that applies stored notifications. */
export type NotificationJobDeps = NotifiedDeps & {
  readonly database: Database;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly stored: Pick<BatchedNotifications, "update">;
  readonly charges: AuthenticationDeps;
  readonly operations: OperationDeps;
  readonly disputes: DisputeDeps;
  readonly log: {
    /** Logs that a notification was not applied and needs an operator. */
    notificationInReview(notification: string, problem: string): void;
    /** Logs that no charge or operation has the notification's reference, a day after it arrived. */
    notificationUnmatched(notification: string): void;
    /** Logs the reversal of a payment that was approved after its charge had failed or was canceled. */
    lateApprovalReversed(charge: string): void;
  };
};
