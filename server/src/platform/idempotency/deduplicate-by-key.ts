import type { Scope } from "../../core/scope.ts";
import type { Idempotency } from "../http/route.ts";

/**
 * Keeps the first request of each idempotency key in a batch. A later request with the same key is treated as a replay.
 */
export function deduplicateByKey<Item extends { readonly idempotency: Idempotency | null }>(
  items: readonly Item[],
  scopeOf: (item: Item) => Scope,
): readonly Item[] {
  if (items.length === 1) return items;
  const taken = new Set<string>();
  return items.filter((item) => {
    if (!item.idempotency) return true;
    const { account, livemode } = scopeOf(item);
    const scopedKey = `${account} ${livemode} ${item.idempotency.key}`;
    if (taken.has(scopedKey)) return false;
    taken.add(scopedKey);
    return true;
  });
}
