import type { Assignment } from "../../acquiring/connections/assignment.ts";
import type { Connection } from "../../acquiring/connections/connection.ts";
import type { ConnectionDirectory } from "../../acquiring/connections/connection-directory.ts";
import type { AcquirerOrigins } from "../../acquiring/connector.ts";
import { connectors } from "../../acquiring/connectors.ts";
import { type LiveNotification, mismatchOf } from "../../acquiring/live-notification.ts";
import type { StoredItem } from "../../acquiring/verified-notification.ts";
import {
  type AccountId,
  type AssignmentId,
  type ChargeId,
  type ConnectionId,
  parseId,
} from "../../core/ids.ts";
import type { Money } from "../../core/money.ts";
import type { Charge } from "../charges/charge.ts";
import type { ChargeDeps } from "../charges/charge-deps.ts";
import { outcomeOf, type RecordedOutcome } from "../charges/recorded-outcomes.ts";
import { inReview, type NotificationResult } from "./notification-result.ts";

export type NotifiedDeps = {
  readonly directory: ConnectionDirectory;
  readonly charges: Pick<ChargeDeps, "reads" | "recordedOutcomes">;
  readonly origins: AcquirerOrigins;
};

/** The merchants that use the acquirer's merchant account over the connection, and their assignments. */
export type NotifiedMerchants = {
  readonly accounts: readonly AccountId[];
  /** Returns the assignment of a charge or operation. Returns undefined unless it was sent over this connection. */
  assignmentOf(sent: { readonly assignmentId: AssignmentId | null }): Assignment | undefined;
};

export function notifiedMerchants(
  { directory }: Pick<NotifiedDeps, "directory">,
  connection: ConnectionId,
  merchantAccount: string,
): NotifiedMerchants {
  const assignments = directory.assignmentsAt(connection, merchantAccount);
  return {
    accounts: [...new Set(assignments.map(({ account }) => account))],
    assignmentOf: ({ assignmentId }) => assignments.find(({ id }) => id === assignmentId),
  };
}

/**
 * Returns the live charge with this ID from one of the accounts, or null. Waits if this process is recording the
 * outcome of the charge. The reads of concurrent notifications share a statement.
 */
export async function findNotifiedCharge(
  { charges }: Pick<NotifiedDeps, "charges">,
  accounts: readonly AccountId[],
  id: ChargeId,
): Promise<Charge | null> {
  const recorded = await charges.recordedOutcomes.waitFor(id);
  if (recorded) return accounts.includes(recorded.scope.account) ? recorded : null;
  const found = await Promise.all(
    accounts.map((account) => charges.reads.readCharge({ scope: { account, livemode: true }, id })),
  );
  return found.find((charge) => charge !== null) ?? null;
}

/**
 * Returns whether the notification only repeats the outcome that the charge already has. Such a notification needs no
 * further work. Almost all notifications are repetitions of this kind, because the response to the request contained
 * the same outcome.
 */
export async function repeatsOutcome(
  deps: NotifiedDeps,
  { id: connection, processor }: Pick<Connection, "id" | "processor">,
  item: StoredItem,
  now: Date,
): Promise<boolean> {
  const notification = connectors[processor].notificationOf(item, now, deps.origins[processor]);
  const { event, reference, merchantAccount } = notification;
  const id = parseId("ch", reference ?? "");
  if (event.kind !== "authorization" || id === null) return false;
  const merchants = notifiedMerchants(deps, connection, merchantAccount);
  const outcome = await findOutcome(deps, merchants, id);
  const assignment = outcome && merchants.assignmentOf(outcome);
  if (!assignment) return false;
  return (
    mismatchWith(deps, notification, assignment, outcome.price) === null &&
    event.outcome.kind === outcome.result &&
    (outcome.result === "declined" ||
      !isOtherPayment(outcome.acquirerReference, notification.paymentReference))
  );
}

/**
 * Returns the outcome of a charge of these merchants. An outcome in memory is returned even if the charge has changed
 * since, because the notification only repeats that outcome.
 */
async function findOutcome(
  deps: NotifiedDeps,
  { accounts }: NotifiedMerchants,
  id: ChargeId,
): Promise<RecordedOutcome | null> {
  const { recordedOutcomes } = deps.charges;
  await recordedOutcomes.waitFor(id);
  const recorded = recordedOutcomes.take(id);
  if (recorded) return accounts.includes(recorded.account) ? recorded : null;
  const charge = await findNotifiedCharge(deps, accounts, id);
  return charge && outcomeOf(charge);
}

function isOtherPayment(acquirerReference: string | null, paymentReference: string | null) {
  return acquirerReference !== null && acquirerReference !== paymentReference;
}

/** Returns whether the acquirer approved another payment for a charge that is already approved. */
export function isSecondApproval(
  charge: Charge,
  { paymentReference }: Pick<LiveNotification, "paymentReference">,
): boolean {
  return hasMoney(charge) && isOtherPayment(charge.acquirerReference, paymentReference);
}

/** Returns whether the charge's payment is approved. */
export function hasMoney({ status }: Charge): boolean {
  return status === "succeeded" || status === "authorized";
}

/**
 * Returns the name of the first value in the notification that differs from the sent request, such as the merchant
 * account or the amount. Returns null if no value differs.
 */
function mismatchWith(
  { directory }: Pick<NotifiedDeps, "directory">,
  notification: LiveNotification,
  { connection, merchantAccount }: Assignment,
  price: Money,
): ReturnType<typeof mismatchOf> {
  const live = directory.connection(connection)?.connection.environment === "live";
  return mismatchOf(notification, { live, merchantAccount, price });
}

/** Returns the result for a notification that does not match what was sent to the acquirer, or null if it matches. */
export function mismatch(
  deps: Pick<NotifiedDeps, "directory">,
  notification: LiveNotification,
  assignment: Assignment,
  price: Money,
): NotificationResult | null {
  const problem = mismatchWith(deps, notification, assignment, price);
  return problem === null
    ? null
    : inReview(`The ${problem} in the notification differs from that of the request.`);
}
