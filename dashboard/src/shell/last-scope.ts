import type { Scope } from "../api/api.ts";

const key = "florin-last-place";

/** Returns the account and mode last used on this device. */
export function lastScope(): Scope | null {
  const [account, mode] = (localStorage.getItem(key) ?? "").split("/");
  if (!account || (mode !== "test" && mode !== "live")) return null;
  return { account, mode };
}

export function storeScope({ account, mode }: Scope): void {
  localStorage.setItem(key, `${account}/${mode}`);
}
