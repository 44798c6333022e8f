import type { Permission } from "@florin/contract/permissions.ts";
import { roles } from "@florin/contract/roles.ts";
import type { Actor } from "../../core/actor.ts";
import { ApiError } from "../../core/api-error.ts";
import type { Scope } from "../../core/scope.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { lockMemberOf, readMemberOf } from "./member.sql.ts";

/**
 * Locks the person's membership, and throws a 403 if the person has lost the permission since the request was
 * authenticated. A request calls this function in its transaction if it grants access that remains after the request.
 * Otherwise a person who is removed from the team could create an invitation or a key at the same moment, and keep
 * access with it. Does nothing for an API key.
 *
 * Callers lock the account only after this call. If the order of the two locks differed, two requests of one person
 * could deadlock.
 */
export async function assertStillPermitted(
  tx: Tx,
  { scope, actor }: { readonly scope: Scope; readonly actor: Actor },
  permission: Permission,
): Promise<void> {
  if (actor.kind !== "person") return;
  await lockMemberOf(tx, scope.account, actor.id);
  const member = await readMemberOf(tx, scope.account, actor.id);
  if (member && roles[member.role].permissions.has(permission)) return;
  throw new ApiError(
    "permission_denied",
    "You were removed from the team, or your role was changed, before the request was processed. Reload the page.",
  );
}
