import type { Assignment } from "../../acquiring/connections/assignment.ts";
import { connectors } from "../../acquiring/connectors.ts";
import type {
  DisputeEvent,
  LiveEvent,
  LiveNotification,
} from "../../acquiring/live-notification.ts";
import type { OperationOutcome } from "../../acquiring/outcome.ts";
import type { Clock } from "../../core/clock.ts";
import {
  type AccountId,
  type AttemptId,
  type ConnectionId,
  createdAt,
  type Id,
  type OperationId,
  parseId,
  uuidOf,
} from "../../core/ids.ts";
import type { Money } from "../../core/money.ts";
import type { Timers } from "../../core/timers.ts";
import type { Database } from "../../platform/database/database.ts";
import { fragment } from "../../platform/database/sql.ts";
import { claimDue } from "../../platform/jobs/claim-due.sql.ts";
import { startDueWork } from "../../platform/jobs/due-work.ts";
import type { Background, Loop } from "../../platform/jobs/loop.ts";
import { readArchiveHorizon } from "../charges/archived-charge.ts";
import type { Charge } from "../charges/charge.ts";
import { type FailedAttempt, listAttempts } from "../charges/charge-attempt.sql.ts";
import type { DisputeDeps } from "../disputes/record-dispute.ts";
import {
  applyReportedOutcome,
  isEnded,
  reverseFoundPayment,
  reverseLateApproval,
} from "../inquiries/inquire-charge.ts";
import { failCapture } from "../operations/fail-capture.ts";
import { applyOperationNotification, inquireAgain } from "../operations/operation.jobs.ts";
import { readOperation } from "../operations/operation.sql.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import { canBeAuthorizedAlone, readAuthorization } from "../three-d-secure/authenticate-charge.ts";
import type { AuthenticationDeps } from "../three-d-secure/three-d-secure-deps.ts";
import {
  dueNotifications,
  findNotifiedOperation,
  hasFailedLater,
  isReversed,
  type NotificationResult,
  type NotificationRow,
  type NotifiedOperation,
  notificationColumns,
  type PendingNotification,
  toNotification,
} from "./acquirer-notification.sql.ts";
import { applyDispute } from "./apply-dispute.ts";
import type { BatchedNotifications } from "./batched-notifications.ts";
import {
  findNotifiedCharge,
  hasMoney,
  isSecondApproval,
  mismatchWith,
  type NotifiedDeps,
  notifiedMerchants,
} from "./notified-charge.ts";
import { receiveReport } from "./receive-report.ts";

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

const batchSize = 128;

/**
 * A connection with this many running notifications is left out of the next claim. Some notifications need responses of
 * the acquirer, such as the download of a report, which can take minutes.
 */
const maxPerConnection = 32;

/** The lease of a claimed notification. Covers the reversal of a partial approval and the commit. */
const leaseMs = 60_000;

/** The lease of a notification whose report is fetched. A report can have 1,000 pages, or 20 files of 32 MB. */
const reportLeaseMs = 30 * 60_000;

const minute = 60_000;
const hour = 60 * minute;

/**
 * The time after which a notification without a matching object is listed as unmatched. A notification can arrive
 * before the commit of its object.
 */
const matchWithinMs = 24 * hour;

/** Starts the job that applies the stored notifications of live acquirers. */
export function startNotificationJob(deps: NotificationJobDeps, background: Background): Loop {
  return startDueWork<PendingNotification, ConnectionId>({
    name: "acquirer notifications",
    everyMs: 1_000,
    batchSize,
    share: { keyOf: ({ connection }) => connection, size: maxPerConnection },
    take: async (limit, busy) => {
      const except = { column: fragment`connection_id`, uuids: busy.map(uuidOf) };
      const claim = { columns: notificationColumns, leaseMs, limit, except };
      const rows = await claimDue<NotificationRow>(deps, dueNotifications, claim);
      return rows.map(toNotification);
    },
    handle: (notification) => handle(deps, notification),
    background,
  });
}

async function handle(deps: NotificationJobDeps, pending: PendingNotification): Promise<void> {
  const result = await apply(deps, pending);
  if (result.state === "review") deps.log.notificationInReview(pending.id, result.problem);
  if (result.state === "unmatched") deps.log.notificationUnmatched(pending.id);
  await deps.stored.update({ id: pending.id, result });
}

const ignored: NotificationResult = { state: "ignored" };
const applied: NotificationResult = { state: "applied" };

function inReview(problem: string): NotificationResult {
  return { state: "review", problem };
}

async function apply(
  deps: NotificationJobDeps,
  pending: PendingNotification,
): Promise<NotificationResult> {
  const { processor, item, receivedAt } = pending;
  const notification = connectors[processor].notificationOf(
    item,
    receivedAt,
    deps.origins[processor],
  );
  const { event, reference } = notification;
  if (event.kind === "ignored") return ignored;
  if (event.kind === "report_available") return applyReport(deps, pending, notification);
  // The response to the verification of a card determines its outcome. It moves no money, so a lost response needs no
  // notification.
  if (parseId("cv", reference ?? "")) return ignored;
  if (reference === null) return applyUnnamed(deps, pending, notification);
  return applyNamed(deps, pending, notification, reference);
}

/** Applies a notification without our reference. Only a dispute can belong to one of our payments. */
async function applyUnnamed(
  deps: NotificationJobDeps,
  pending: PendingNotification,
  notification: LiveNotification,
): Promise<NotificationResult> {
  const { findCharge } = connectors[pending.processor];
  const open = deps.directory.connection(pending.connection);
  if (findCharge === null || open === null || notification.event.kind !== "dispute") {
    return inReview("The notification does not name a charge or operation of this service.");
  }
  const options = { timers: deps.timers, origin: deps.origins[pending.processor] };
  const found = await findCharge(open, notification, options);
  switch (found.kind) {
    case "found":
      return applyNamed(deps, pending, notification, found.charge);
    case "none":
      return inReview("The dispute is about a payment that this service did not send.");
    case "retry":
      return (
        retryLater(deps, pending) ??
        inReview(`The acquirer did not return the payment of the dispute: ${found.problem}.`)
      );
  }
}

async function applyNamed(
  deps: NotificationJobDeps,
  pending: PendingNotification,
  notification: LiveNotification,
  reference: AttemptId | OperationId,
): Promise<NotificationResult> {
  const { merchantAccount } = notification;
  const { accounts, assignmentOf } = notifiedMerchants(deps, pending.connection, merchantAccount);
  const overAnother = "The charge was sent over another connection.";
  const chargeId = parseId("ch", reference);
  if (chargeId) {
    const charge = await findNotifiedCharge(deps, accounts, chargeId);
    if (!charge) return unmatched(deps, pending, await archiveNote(deps, accounts, chargeId));
    const assignment = assignmentOf(charge);
    if (!assignment) {
      const attempts = await listAttempts(deps.database.read, charge);
      const isKnown = attempts.some((one) => repeatsDecline(notification, one, assignmentOf(one)));
      return isKnown ? ignored : inReview(overAnother);
    }
    return applyToCharge(deps, pending, notification, charge, assignment);
  }
  const id = reference as OperationId;
  const found = await findNotifiedOperation(deps.database.read, accounts, id);
  if (!found) return unmatched(deps, pending, await archiveNote(deps, accounts, id));
  const assignment = assignmentOf(found);
  if (!assignment) return inReview(overAnother);
  return applyToOperation(deps, pending, notification, found, assignment, id);
}

/**
 * Returns whether the notification only repeats the decline of an earlier attempt, after which the charge was sent over
 * another connection.
 */
function repeatsDecline(
  { event }: LiveNotification,
  attempt: FailedAttempt,
  assignment: Assignment | undefined,
): boolean {
  if (assignment === undefined || attempt.outcome !== "declined") return false;
  return event.kind === "authorization" && event.outcome.kind === "declined";
}

async function applyReport(
  deps: NotificationJobDeps,
  pending: PendingNotification,
  notification: LiveNotification,
): Promise<NotificationResult> {
  // Otherwise another process would fetch the same report when the shorter lease has ended.
  await deps.stored.update({ id: pending.id, result: retryAfter(deps, reportLeaseMs) });
  const result = await receiveReport(deps, pending.connection, notification).catch(
    async (error: unknown) => {
      await deps.stored.update({ id: pending.id, result: retryAfter(deps, leaseMs) });
      throw error;
    },
  );
  switch (result.kind) {
    case "applied":
    case "ignored":
      return { state: result.kind };
    case "review":
      return inReview(result.problem);
    case "retry":
      return retryLater(deps, pending) ?? inReview(result.problem);
  }
}

/** Returns a note for the operator if the notification's object may be archived. */
async function archiveNote(
  { database }: NotificationJobDeps,
  accounts: readonly AccountId[],
  id: Id<string>,
): Promise<string> {
  for (const account of accounts) {
    const before = await readArchiveHorizon(database.read, { account, livemode: true });
    if (before && createdAt(id) < before) {
      return ` Payments created before ${before.toISOString().slice(0, 10)} are archived.`;
    }
  }
  return "";
}

/** Retries for a while, because the notification's object may not be committed yet. */
function unmatched(
  deps: NotificationJobDeps,
  pending: PendingNotification,
  note: string,
): NotificationResult {
  const problem = `No charge or operation has the notification's reference.${note}`;
  return retryLater(deps, pending) ?? { state: "unmatched", problem };
}

/**
 * Returns a result that retries the notification after a tenth of its age, but after 1 s at the earliest and 1 h at the
 * latest. Returns null if the notification is too old.
 */
function retryLater(
  deps: NotificationJobDeps,
  { receivedAt }: PendingNotification,
): NotificationResult | null {
  const ageMs = deps.clock.now().getTime() - receivedAt.getTime();
  if (ageMs >= matchWithinMs) return null;
  return retryAfter(deps, Math.min(hour, Math.max(1_000, ageMs / 10)));
}

function retryAfter({ clock }: NotificationJobDeps, delayMs: number): NotificationResult {
  return { state: "pending", dueAt: new Date(clock.now().getTime() + delayMs) };
}

/** Returns the result for a notification that does not match what was sent to the acquirer, or null if it matches. */
function mismatch(
  deps: NotificationJobDeps,
  notification: LiveNotification,
  assignment: Assignment,
  price: Money,
): NotificationResult | null {
  const problem = mismatchWith(deps, notification, assignment, price);
  return problem === null
    ? null
    : inReview(`The ${problem} in the notification differs from that of the request.`);
}

async function applyToCharge(
  deps: NotificationJobDeps,
  pending: PendingNotification,
  notification: LiveNotification,
  charge: Charge,
  assignment: Assignment,
): Promise<NotificationResult> {
  const { event } = notification;
  const different = mismatch(deps, notification, assignment, charge.price);
  if (different) return different;
  if (event.kind === "dispute")
    return applyDisputeEvent(deps, notification, event, assignment, charge);
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
  // An acquirer that authorizes the payment before the return has determined it.
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
    // The approval is older than the failure of the capture.
    if (after.status === "failed" && after.failureEntry) return ignored;
    const { connection } = assignment;
    const { paymentReference } = notification;
    // The approval is older than the confirmed reversal of the same payment.
    if (paymentReference && (await isReversed(deps.database.read, connection, paymentReference))) {
      return ignored;
    }
    // An acquirer that does not notify us of reversals reports the ended payment in an inquiry.
    const reversed = response.kind === "approved" && after.status === "failed" ? after : null;
    if (paymentReference && reversed && (await isEnded(deps.charges, reversed, paymentReference))) {
      return ignored;
    }
    return inReview(
      isSecond
        ? "The acquirer approved the charge a second time, as another payment."
        : `The charge is '${after.status}', but the acquirer reports '${event.kind}'.`,
    );
  }
  return charge.status === "processing" ? applied : ignored;
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
 * Fails a captured charge. If a server is killed after this commit and before it records the result, the notification
 * is handled again and finds the charge failed.
 */
async function applyCaptureFailure(
  deps: NotificationJobDeps,
  { scope, id: chargeId }: Pick<Charge, "scope" | "id">,
  operationId: OperationId | null,
  { connection, merchantAccount }: Assignment,
): Promise<NotificationResult> {
  const settledBy = { connection, merchantAccount };
  const result = await failCapture(deps.operations, { scope, chargeId, operationId, settledBy });
  return result === "has_refunds_or_disputes"
    ? inReview(
        "The capture failed after it had succeeded, but the charge has refunds or disputes. Apply this again once they have failed.",
      )
    : applied;
}

async function applyDisputeEvent(
  deps: NotificationJobDeps,
  notification: LiveNotification,
  event: DisputeEvent,
  { connection }: Assignment,
  charge: Charge,
): Promise<NotificationResult> {
  // The notification of the capture may arrive after the notification of the dispute.
  if (charge.status === "processing" || charge.status === "authorized") {
    return retryAfter(deps, minute);
  }
  if (charge.status !== "succeeded")
    return inReview(`The charge is '${charge.status}', so it cannot be disputed.`);
  return applyDispute(deps.disputes, charge, connection, notification, event);
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

async function applyToOperation(
  deps: NotificationJobDeps,
  pending: PendingNotification,
  notification: LiveNotification,
  { scope }: NotifiedOperation,
  assignment: Assignment,
  id: OperationId,
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
