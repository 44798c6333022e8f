import type { Assignment } from "../../acquiring/connections/assignment.ts";
import { connectors } from "../../acquiring/connectors.ts";
import type { LiveNotification } from "../../acquiring/live-notification.ts";
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
import { fragment } from "../../platform/database/sql.ts";
import { claimDue } from "../../platform/jobs/claim-due.sql.ts";
import { startDueWork } from "../../platform/jobs/due-work.ts";
import type { Background, Loop } from "../../platform/jobs/loop.ts";
import { readArchiveHorizon } from "../charges/archived-charge.ts";
import { type FailedAttempt, listAttempts } from "../charges/charge-attempt.sql.ts";
import {
  dueNotifications,
  type NotificationRow,
  notificationColumns,
  type PendingNotification,
  toNotification,
} from "./acquirer-notification.sql.ts";
import { applyToCharge } from "./apply-to-charge.ts";
import { applyToOperation } from "./apply-to-operation.ts";
import type { NotificationJobDeps } from "./notification-job-deps.ts";
import {
  ignored,
  inReview,
  type NotificationResult,
  retryAfter,
  retryLater,
} from "./notification-result.ts";
import { findNotifiedCharge, notifiedMerchants } from "./notified-charge.ts";
import { findNotifiedOperation } from "./notified-payment.sql.ts";
import { receiveReport } from "./receive-report.ts";

const batchSize = 128;

/**
 * A connection with this many running notifications is left out of the next claim. Some notifications need responses
 * from the acquirer, such as the download of a report, which can take minutes.
 */
const maxPerConnection = 32;

/** The lease of a claimed notification. Covers the reversal of a partial approval and the commit. */
const leaseMs = 60_000;

/** The lease of a notification whose report is fetched. A report can have 1,000 pages, or 20 files of 32 MB. */
const reportLeaseMs = 30 * 60_000;

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
  return applyToOperation(deps, pending, notification, found, assignment);
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
  // Extends the lease. Otherwise another process would fetch the same report when the shorter lease has ended.
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
