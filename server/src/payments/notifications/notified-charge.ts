import {
  type AdyenNotification,
  mismatchOf,
  type NotificationItem,
  notificationOf,
} from "../../acquiring/adyen/webhooks.ts";
import type { Assignment } from "../../acquiring/connections/assignment.ts";
import type { ConnectionDirectory } from "../../acquiring/connections/connection-directory.ts";
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

export type NotifiedDeps = {
  readonly directory: ConnectionDirectory;
  readonly charges: Pick<ChargeDeps, "reads" | "beingRecorded">;
  /** The origin of a local fake that is used instead of Adyen's servers. */
  readonly adyenOrigin: string | undefined;
};

/** The merchants that use the acquirer's merchant account over the connection, and their assignments. */
export type NotifiedMerchants = {
  readonly accounts: readonly AccountId[];
  /** Returns the assignment of a charge or operation. Returns undefined if it was sent over another connection. */
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
  const recorded = await charges.beingRecorded.get(id)?.catch(() => null);
  if (recorded) return accounts.includes(recorded.charge.scope.account) ? recorded.charge : null;
  const found = await Promise.all(
    accounts.map((account) => charges.reads.readCharge({ scope: { account, livemode: true }, id })),
  );
  return found.find((charge) => charge !== null) ?? null;
}

/**
 * Returns whether the notification only repeats the outcome that the charge already has. It then needs no further work.
 * This holds for almost all notifications, because the response to the request contained the same outcome.
 */
export async function repeatsOutcome(
  deps: NotifiedDeps,
  connection: ConnectionId,
  item: NotificationItem,
  now: Date,
): Promise<boolean> {
  const id = parseId("ch", item.merchantReference);
  if (item.eventCode !== "AUTHORISATION" || id === null) return false;
  const { accounts, assignmentOf } = notifiedMerchants(deps, connection, item.merchantAccount);
  const charge = await findNotifiedCharge(deps, accounts, id);
  const assignment = charge && assignmentOf(charge);
  if (!assignment) return false;
  const notification = notificationOf(item, now, deps.adyenOrigin);
  return (
    mismatchWith(deps, notification, assignment, charge.price) === null &&
    hasOutcome(charge, notification)
  );
}

function hasOutcome(charge: Charge, notification: AdyenNotification): boolean {
  const { event } = notification;
  if (event.kind !== "authorization") return false;
  return event.outcome.kind === "approved"
    ? hasMoney(charge) && !isSecondApproval(charge, notification)
    : charge.status === "failed" && !charge.unconfirmed;
}

/** Returns whether the acquirer approved another payment for a charge that is already approved. */
export function isSecondApproval(
  charge: Charge,
  { paymentReference }: Pick<AdyenNotification, "paymentReference">,
): boolean {
  return (
    hasMoney(charge) &&
    charge.acquirerReference !== null &&
    charge.acquirerReference !== paymentReference
  );
}

/** Returns whether the charge's payment is approved. */
export function hasMoney({ status }: Charge): boolean {
  return status === "succeeded" || status === "authorized";
}

/** Returns the name of the first value that differs from what was sent over the assignment, or null. */
export function mismatchWith(
  { directory }: Pick<NotifiedDeps, "directory">,
  notification: AdyenNotification,
  { connection, merchantAccount }: Assignment,
  price: Money,
): ReturnType<typeof mismatchOf> {
  const live = directory.connection(connection)?.connection.environment === "live";
  return mismatchOf(notification, { live, merchantAccount, price });
}
