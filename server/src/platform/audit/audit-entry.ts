import { createHash } from "node:crypto";
import type { AuditAction } from "@florin/contract/audit-actions.ts";
import type { Actor } from "../../core/actor.ts";
import { type AccountId, type AuditEntryId, type RequestId, uuidOf } from "../../core/ids.ts";
import type { ApiRequest } from "../http/route.ts";

/** An action to record in the audit log. */
export type AuditEntry = {
  /** Null for an action on the whole service. */
  readonly account: AccountId | null;
  /** Null if the change applies to both modes, as a change of the team or of the account itself does. */
  readonly livemode: boolean | null;
  readonly actor: Actor;
  readonly action: AuditAction;
  /** The id of the object that is changed. */
  readonly object: string | null;
  /** The changed values, without secrets. */
  readonly before?: AuditValues | null;
  readonly after?: AuditValues | null;
  readonly reason?: string | null;
  readonly ip?: string | null;
  readonly request?: RequestId | null;
};

export type AuditValues = Readonly<Record<string, unknown>>;

/** Returns the audit entry of a request. It has the caller's mode unless `details` sets `livemode` to null. */
export function auditEntryOf(
  { id, scope, actor, ip }: Pick<ApiRequest, "id" | "scope" | "actor" | "ip">,
  details: Pick<AuditEntry, "action" | "object" | "before" | "after" | "reason"> & {
    livemode?: null;
  },
): AuditEntry {
  const { account, livemode } = scope;
  return { account, livemode, actor, ip, request: id, ...details };
}

/** Returns the text that is hashed and stored. Reads of an entry use this text only. */
export function entryText(id: AuditEntryId, auditEntry: AuditEntry): string {
  const { actor } = auditEntry;
  return JSON.stringify({
    id: uuidOf(id),
    livemode: auditEntry.livemode,
    action: auditEntry.action,
    actor_type: actor.kind,
    actor_id: actor.kind === "service" ? null : actor.id,
    actor_name: actor.kind === "service" ? null : actor.name,
    session_id: actor.kind === "person" ? actor.session : null,
    object_id: auditEntry.object,
    before: auditEntry.before ?? null,
    after: auditEntry.after ?? null,
    reason: auditEntry.reason ?? null,
    ip: auditEntry.ip ?? null,
    request_id: auditEntry.request ?? null,
  });
}

/** The hash before the first entry of a chain. */
export const emptyChainHash = Buffer.alloc(0);

/** The input of an authentication code. Entries and chain heads have the same fields. */
export type AuthenticatedEntry = {
  /** The account's UUID, or the nil UUID for the service-wide chain. */
  readonly chain: string;
  readonly number: number;
  readonly hash: Buffer;
};

/**
 * Returns the text from which an entry's authentication code is computed. The hash covers this entry and all entries
 * before it.
 */
export function entryMessage({ chain, number, hash }: AuthenticatedEntry): string {
  return `audit_entry|${chain}|${number}|${hash.toString("hex")}`;
}

/**
 * Returns the text for the authentication code of a chain's end. It differs from an entry's text, so the code of an
 * entry is not valid for the end of a truncated chain.
 */
export function headMessage({ chain, number, hash }: AuthenticatedEntry): string {
  return `audit_head|${chain}|${number}|${hash.toString("hex")}`;
}

export function entryHash(previous: Buffer, entry: string): Buffer {
  return createHash("sha256").update(previous).update(entry, "utf8").digest();
}
