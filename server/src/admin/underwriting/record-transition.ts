import { ApiError } from "../../core/api-error.ts";
import { newId, type PersonId } from "../../core/ids.ts";
import type { Account } from "../../identity/accounts/account.ts";
import type { IsConnected } from "../../identity/accounts/charging.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { announceAccount } from "../../webhooks/events/announce-account.ts";
import type { EventCause } from "../../webhooks/events/event.ts";
import { writeApplication } from "./application.sql.ts";
import type { Application } from "./application.ts";
import { insertHistory } from "./history.sql.ts";

/** The actor, request, time and text of a transition. */
export type TransitionDetails = {
  readonly transition: string;
  readonly person: PersonId;
  readonly text: string | null;
  readonly cause: EventCause;
  readonly now: Date;
  readonly isConnected: IsConnected;
};

/**
 * Stores the changed application and records the transition, both in `tx`. Throws if the stored version of the
 * application is no longer the one that was read.
 */
export async function recordTransition(
  tx: Tx,
  before: Account,
  next: Application,
  details: TransitionDetails,
): Promise<void> {
  await keepApplication(tx, next);
  await recordAccountTransition(tx, before, details);
}

/** Records a transition of the account without a change to the application. */
export async function recordAccountTransition(
  tx: Tx,
  before: Account,
  { transition, person, text, cause, now, isConnected }: TransitionDetails,
): Promise<void> {
  await insertHistory(tx, { account: before.id, id: newId("note", now), transition, person, text });
  await announceAccount(tx, before, { cause, now, isConnected });
}

export async function keepApplication(tx: Tx, next: Application): Promise<void> {
  if (await writeApplication(tx, next)) return;
  throw new ApiError(
    "resource_changed",
    "The application has changed since you loaded it. Reload it, then retry the change.",
  );
}
