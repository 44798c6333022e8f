import type { Permission } from "@florin/contract/permissions.ts";
import type { Me, Membership } from "@florin/contract/person.ts";
import { roles } from "@florin/contract/roles.ts";
import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import { useApi } from "./here.ts";
import type { ApiProblem } from "./problem.ts";
import { send } from "./send.ts";

/** Who is signed in, and what they belong to: `GET /auth/v1/me`. */
export const readingMe = queryOptions<Me, ApiProblem>({
  queryKey: ["me"],
  queryFn: ({ signal }) => send<Me>({ method: "GET", path: "/auth/v1/me", signal }),
  staleTime: 60_000,
});

/** Below the shell, where it was read before anything is drawn. */
export function useMe(): Me {
  return useSuspenseQuery(readingMe).data;
}

/** How this person belongs to the account of the address. */
export function useMembership(): Membership | null {
  const { memberships } = useMe();
  const { scope } = useApi();
  return memberships.find(({ account }) => account.id === scope.account) ?? null;
}

/**
 * Returns whether objects that both modes share, such as the team, can be changed in this mode. The service enforces it,
 * as for `useMay`.
 */
export function useMayChangeShared(): boolean {
  const membership = useMembership();
  const { scope } = useApi();
  const status = membership?.account.status;
  return scope.mode === "live" || (status !== "approved" && status !== "suspended");
}

/**
 * Whether this person may do something here. The service decides; this only spares people buttons that would be refused.
 */
export function useMay(): (permission: Permission) => boolean {
  const membership = useMembership();
  const allowed = membership ? roles[membership.role].permissions : null;
  return (permission) => allowed?.has(permission) ?? false;
}
