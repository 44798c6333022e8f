import type { ApiKey as ApiKeyObject, ApiKeyStatus } from "@florin/contract/api-key.ts";
import type { Permission } from "@florin/contract/permissions.ts";
import { ApiError } from "../../core/api-error.ts";
import { unixSeconds } from "../../core/clock.ts";
import { type ApiKeyId, createdAt, type PersonId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { keyBeginning } from "./key-text.ts";

/** An API key without its text, which is not stored. */
export type ApiKey = {
  readonly id: ApiKeyId;
  readonly scope: Scope;
  readonly name: string;
  readonly last4: string;
  /** The permissions of a restricted key, or null for a secret key. */
  readonly permissions: readonly Permission[] | null;
  readonly createdBy: PersonId | null;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
};

export function statusOf({ revokedAt, expiresAt }: ApiKey, now: Date): ApiKeyStatus {
  if (revokedAt) return "revoked";
  return expiresAt && expiresAt <= now ? "expired" : "active";
}

/**
 * Returns the old key after it has been rolled. It expires after the overlap, or immediately if the overlap is zero.
 */
export function rolled(key: ApiKey, now: Date, overlapSeconds: number): ApiKey {
  const end = new Date(now.getTime() + overlapSeconds * 1000);
  // Rolling a key again must not postpone its expiry.
  const expiresAt = key.expiresAt && key.expiresAt < end ? key.expiresAt : end;
  return { ...key, expiresAt };
}

/** Rejects a change of a revoked or expired key. */
export function assertActive(key: ApiKey, now: Date): void {
  const status = statusOf(key, now);
  if (status === "active") return;
  throw new ApiError(
    "status_transition_invalid",
    `The API key '${key.id}' is '${status}'. It must be 'active' for this request.`,
    { param: "id" },
  );
}

export function apiKeyObject(key: ApiKey, now: Date): ApiKeyObject {
  return {
    id: key.id,
    object: "api_key",
    livemode: key.scope.livemode,
    created: unixSeconds(createdAt(key.id)),
    name: key.name,
    beginning: keyBeginning(key.scope.livemode, key.permissions !== null),
    last4: key.last4,
    permissions: key.permissions && [...key.permissions],
    status: statusOf(key, now),
    created_by: key.createdBy,
    last_used_at: key.lastUsedAt && unixSeconds(key.lastUsedAt),
    expires_at: key.expiresAt && unixSeconds(key.expiresAt),
    revoked_at: key.revokedAt && unixSeconds(key.revokedAt),
  };
}
