import { useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { type Api, apiOf, type Scope } from "./api.ts";

/** The account and the mode of the address, and the API as they see it. For pages below `/$account/$mode`. */
export function useApi(): Api {
  const { account, mode } = useParams({ strict: false }) as Partial<Scope>;
  return useMemo(() => apiOf({ account: account ?? "", mode: mode ?? "test" }), [account, mode]);
}

/**
 * `/payments` → `/acct_…/test/payments`: where a page of this account and mode is. On a page of no account, such as the
 * operator's, addresses are as they are.
 */
export function useAddress(): (path: string) => string {
  const { scope } = useApi();
  return (path) => (scope.account === "" ? path : addressIn(scope, path));
}

export function addressIn({ account, mode }: Scope, path: string): string {
  return `/${account}/${mode}${path === "/" ? "" : path}`;
}
