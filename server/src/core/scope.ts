import type { AccountId } from "./ids.ts";

/**
 * An account and a mode. Every statement on merchant data is limited to one scope
 * (docs/decisions/0034-statements-name-the-account-instead-of-rls.md).
 */
export type Scope = { readonly account: AccountId; readonly livemode: boolean };

/** Returns the key of a merchant and mode, for limits that are counted in memory. */
export function limitKeyOf({ account, livemode }: Scope): string {
  return `${livemode ? "live" : "test"} ${account}`;
}
