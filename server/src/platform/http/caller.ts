import type { Permission } from "@florin/contract/permissions.ts";
import type { FastifyRequest } from "fastify";
import type { Actor } from "../../core/actor.ts";
import { ApiError } from "../../core/api-error.ts";
import type { Scope } from "../../core/scope.ts";

/** An authenticated caller: its account and mode, its identity and its permissions. */
export type Caller = {
  readonly scope: Scope;
  readonly actor: Extract<Actor, { kind: "api_key" | "person" }>;
  readonly permissions: ReadonlySet<Permission>;
  /** The time of the person's last credential check. Null for a key, which is verified with each request. */
  readonly authenticatedAt: Date | null;
  /** The limit of requests per second that an operator has set for this account. Null: the service's limit applies. */
  readonly requestsPerSecond: number | null;
};

/** Authenticates a request and returns its caller. Throws an error if the credentials are not accepted. */
export type Admit = (request: FastifyRequest) => Promise<Caller>;

export function assertPermission(
  caller: Pick<Caller, "actor" | "permissions">,
  permission: Permission,
): void {
  if (caller.permissions.has(permission)) return;
  const isPerson = caller.actor.kind === "person";
  const whose = isPerson ? "Your role in this team" : "This key";
  const fix = isPerson
    ? "Ask an owner or admin of the account to change your role."
    : "Use a key with the permission.";
  throw new ApiError(
    "permission_denied",
    `${whose} does not have the required permission '${permission}'. ${fix}`,
  );
}

/** Determines whether a route requires a recent step-up: always, or depending on the body. */
export type StepUp = true | ((body: unknown) => boolean);

/** The time for which a step-up counts as recent. */
const stepUpTtlMs = 10 * 60_000;

/** Returns whether the credentials were verified recently. A key is verified with each request. */
export function isStepUpRecent(authenticatedAt: Date | null, now: Date): boolean {
  return !authenticatedAt || now.getTime() - authenticatedAt.getTime() < stepUpTtlMs;
}

/**
 * Throws a 403 if the route requires a step-up for this body and the caller has no recent one. An unattended browser or
 * a stolen cookie must not be enough for a sensitive operation.
 */
export function assertCredentialsVerified(
  stepUp: StepUp | undefined,
  { authenticatedAt }: Pick<Caller, "authenticatedAt">,
  body: unknown,
  now: Date,
): void {
  if (!stepUp || (typeof stepUp === "function" && !stepUp(body))) return;
  assertRecentStepUp(authenticatedAt, now);
}

export function assertRecentStepUp(authenticatedAt: Date | null, now: Date): void {
  if (isStepUpRecent(authenticatedAt, now)) return;
  throw new ApiError(
    "step_up_required",
    "This request requires that you signed in or reauthenticated within the last ten minutes. Reauthenticate with your password or passkey, then send the request again.",
  );
}
