import { useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { type Api, apiOf, type Scope } from "./api.ts";

/** Returns the API for the account and mode of the URL. For pages below `/$account/$mode`. */
export function useApi(): Api {
  const { account, mode } = useParams({ strict: false }) as Partial<Scope>;
  return useMemo(() => apiOf({ account: account ?? "", mode: mode ?? "test" }), [account, mode]);
}

/**
 * Returns a function that prefixes a path with this account and mode: `/payments` → `/acct_…/test/payments`. On a page
 * without an account, such as the admin console, it returns the path unchanged.
 */
export function useScopedPath(): (path: string) => string {
  const { scope } = useApi();
  return (path) => (scope.account === "" ? path : addressIn(scope, path));
}

export function addressIn({ account, mode }: Scope, path: string): string {
  return `/${account}/${mode}${path === "/" ? "" : path}`;
}
