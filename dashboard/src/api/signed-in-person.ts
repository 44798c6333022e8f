import type { Permission } from "@florin/contract/permissions.ts";
import type { Me, Membership } from "@florin/contract/person.ts";
import { roles } from "@florin/contract/roles.ts";
import { queryOptions } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import type { ApiProblem } from "./problem.ts";
import { send } from "./send.ts";
import { useApi } from "./use-api.ts";

/** The signed-in person and their memberships: `GET /auth/v1/me`. */
export const readingMe = queryOptions<Me, ApiProblem>({
  queryKey: ["me"],
  queryFn: ({ signal }) => send<Me>({ method: "GET", path: "/auth/v1/me", signal }),
  staleTime: 60_000,
});

/**
 * The signed-in person, for the pages that require sign-in. One component at the root of these pages reads the person
 * from the cache and provides this context. Without the context, one query per link and table row took a tenth of the
 * first render.
 */
export const MeContext = createContext<Me | null>(null);

/** Returns the signed-in person. Use it only in pages that require sign-in. */
export function useMe(): Me {
  const me = useContext(MeContext);
  if (!me) throw new Error("useMe() was called outside the pages that require sign-in.");
  return me;
}

/** Returns this person's membership in the account of the URL. */
export function useMembership(): Membership | null {
  const { memberships } = useMe();
  const { scope } = useApi();
  return memberships.find(({ account }) => account.id === scope.account) ?? null;
}

/**
 * Returns whether the current mode allows changes to objects that both modes share, such as the team. The result only
 * hides buttons. The service enforces the rule.
 */
export function useMayChangeShared(): boolean {
  const membership = useMembership();
  const { scope } = useApi();
  const status = membership?.account.status;
  return scope.mode === "live" || (status !== "approved" && status !== "suspended");
}

/**
 * Returns a function that checks whether this person has a permission in this account. The result only hides buttons
 * whose requests would be rejected. The service enforces permissions.
 */
export function useMay(): (permission: Permission) => boolean {
  const membership = useMembership();
  const allowed = membership ? roles[membership.role].permissions : null;
  return (permission) => allowed?.has(permission) ?? false;
}
