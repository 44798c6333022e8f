import type { Me } from "@florin/contract/person.ts";
import type { Scope } from "../api/api.ts";

const key = "florin-last-place";

/**
 * Returns the account and mode last used on this device, or else the first account in test mode. Returns null if the
 * person is not a member of any account.
 */
export function startScope({ memberships }: Me): Scope | null {
  const last = lastScope();
  if (memberships.some(({ account }) => account.id === last?.account)) return last;
  const [first] = memberships;
  return first ? { account: first.account.id, mode: "test" } : null;
}

function lastScope(): Scope | null {
  const [account, mode] = (localStorage.getItem(key) ?? "").split("/");
  if (!account || (mode !== "test" && mode !== "live")) return null;
  return { account, mode };
}

export function storeScope({ account, mode }: Scope): void {
  localStorage.setItem(key, `${account}/${mode}`);
}
