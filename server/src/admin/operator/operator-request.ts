import type { AuditAction } from "@florin/contract/audit-actions.ts";
import { noSuch } from "../../core/api-error.ts";
import { type AccountId, type PersonId, parseId } from "../../core/ids.ts";
import type { SignedIn } from "../../identity/people/session.ts";
import type { AuditEntry, AuditValues } from "../../platform/audit/audit-entry.ts";
import type { BrowserRequest } from "../../platform/http/browser-routes.ts";
import { assertCredentialsVerified } from "../../platform/http/caller.ts";
import type { EventCause } from "../../webhooks/events/event.ts";

/** A request of an operator, signed in with a second factor. */
export type OperatorRequest<Body = unknown, Query = unknown> = BrowserRequest<
  SignedIn,
  Body,
  Query
>;

export function accountIn({ params }: OperatorRequest): AccountId {
  const text = params.account as string;
  const id = parseId("acct", text);
  if (!id) throw noSuch("account", text);
  return id;
}

export function personIn({ params }: OperatorRequest): PersonId {
  const text = params.person as string;
  const id = parseId("per", text);
  if (!id) throw noSuch("person", text);
  return id;
}

export function causeOf({ id }: OperatorRequest): EventCause {
  return { id, idempotencyKey: null };
}

/** Requires a recent step-up for changes to an account, or to a person's access. */
export function requireRecentStepUp({ caller }: OperatorRequest, now: Date): void {
  assertCredentialsVerified(true, caller, undefined, now);
}

type Done = {
  readonly account: AccountId | null;
  readonly action: AuditAction;
  readonly object: string | null;
  readonly before?: AuditValues;
  readonly after?: AuditValues;
  readonly reason?: string | null;
};

/**
 * Returns the audit entry. An entry with an account is in that account's log, which its members can read. An entry
 * without one is in the service-wide log.
 */
export function operatorAuditEntry(request: OperatorRequest, done: Done): AuditEntry {
  const { person, email } = request.caller;
  return {
    livemode: null,
    actor: { kind: "operator", id: person, name: email },
    ip: request.ip,
    request: request.id,
    ...done,
  };
}
