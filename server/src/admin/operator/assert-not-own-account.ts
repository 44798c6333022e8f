import { ApiError } from "../../core/api-error.ts";
import type { AccountId, PersonId } from "../../core/ids.ts";
import { readMembershipsOf } from "../../identity/accounts/member.sql.ts";
import type { SignedIn } from "../../identity/people/session.ts";
import type { Sql } from "../../platform/database/sql.ts";
import type { BrowserRoute } from "../../platform/http/browser-routes.ts";
import { accountIn } from "./operator-request.ts";

/**
 * Rejects a change to an account that the operator belongs to. Operators must not approve or price their own business.
 */
export async function assertNotOwnAccount(
  read: Sql,
  account: AccountId,
  person: PersonId,
): Promise<void> {
  const memberships = await readMembershipsOf(read, person);
  if (!memberships.some((membership) => membership.account.id === account)) return;
  throw new ApiError(
    "own_account",
    "You are a member of this account's team, so you cannot change the account. Ask an operator who is not a member of the team.",
  );
}

/** Adds the check for operators' own accounts to a route that changes the account in its path. */
export function withoutOwnAccount(
  read: Sql,
  route: BrowserRoute<SignedIn>,
): BrowserRoute<SignedIn> {
  if (route.method === "GET" || !route.path.includes("/:account")) return route;
  return {
    ...route,
    async handle(request) {
      await assertNotOwnAccount(read, accountIn(request), request.caller.person);
      return route.handle(request);
    },
  };
}
