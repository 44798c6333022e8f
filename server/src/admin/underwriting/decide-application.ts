import type { NotificationType } from "@florin/contract/notification-topics.ts";
import { ApiError, noSuch } from "../../core/api-error.ts";
import { type AccountId, idFromUuid, newId, type PersonId, uuidOf } from "../../core/ids.ts";
import { readAccount, updateAccountStatus } from "../../identity/accounts/account.sql.ts";
import type { Account } from "../../identity/accounts/account.ts";
import { transitionAccount } from "../../identity/accounts/account-status.ts";
import type { IsConnected } from "../../identity/accounts/charging.ts";
import { emailTeam } from "../../identity/team/email-team.ts";
import { insertNotification } from "../../insights/notifications/notification.sql.ts";
import type { Tx } from "../../platform/database/sql.ts";
import type { EventCause } from "../../webhooks/events/event.ts";
import { readApplication } from "./application.sql.ts";
import {
  type Application,
  type ApplicationTransition,
  transitionApplication,
} from "./application.ts";
import { listChecked } from "./checklist.sql.ts";
import { assertChecked } from "./checklist.ts";
import { applicationDecisionEmail } from "./emails.ts";
import { recordTransition } from "./record-transition.ts";

/** An operator's decision and the version that they read. */
export type Decided = {
  readonly account: AccountId;
  readonly version: number;
  readonly transition: ApplicationTransition;
  readonly person: PersonId;
  /** The operator's reason. The merchant sees only the text of a rejection or a question. */
  readonly reason: string | null;
  readonly cause: EventCause;
  readonly isConnected: IsConnected;
};

/** The notifications about decisions. The other transitions do not concern the merchant. */
const decisions: Partial<Record<ApplicationTransition["kind"], NotificationType>> = {
  request_information: "application.information_requested",
  approve: "application.approved",
  reject: "application.rejected",
};

/** Applies an operator's decision. An approval enables live mode in the same transaction. */
export async function decideApplication(
  tx: Tx,
  { account, version, transition, person, reason, cause, isConnected }: Decided,
  now: Date,
): Promise<Application> {
  const application = await readApplication(tx, account);
  if (!application) throw noSuch("application", account);
  if (application.version !== version) throw changedConcurrently();
  const next = transitionApplication(application, transition, now);
  const merchant = await readAccount(tx, account);
  if (!merchant) throw noSuch("account", account);
  if (transition.kind === "approve") {
    assertChecked(new Set((await listChecked(tx, account)).map(({ item }) => item)));
    await openLiveMode(tx, merchant, now);
  }
  await recordTransition(tx, merchant, next, {
    transition: transition.kind,
    person,
    text: reason,
    cause,
    now,
    isConnected,
  });
  const email = applicationDecisionEmail(transition, merchant.name);
  const type = decisions[transition.kind];
  if (type) {
    const objectId = idFromUuid("app", uuidOf(account));
    const notification = { id: newId("tn", now), account, livemode: null, type, objectId };
    await insertNotification(tx, { ...notification, details: {} });
  }
  if (email) {
    const about = { topic: "application", livemode: null } as const;
    await emailTeam(tx, account, "application:write", email, now, about);
  }
  return next;
}

async function openLiveMode(tx: Tx, account: Account, now: Date): Promise<void> {
  const status = transitionAccount(account.status, "approve");
  if (!(await updateAccountStatus(tx, account, { status, approvedAt: now }, now))) {
    throw changedConcurrently();
  }
}

export function changedConcurrently(): ApiError {
  return new ApiError(
    "resource_changed",
    "The application or the account has changed since you loaded it. Reload the page, then send your decision again.",
  );
}
