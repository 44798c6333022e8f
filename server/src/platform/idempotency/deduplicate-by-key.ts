import type { Scope } from "../../core/scope.ts";
import type { Idempotency } from "../http/route.ts";

/**
 * Keeps the first request of each idempotency key in a batch. A later request with the same key is treated as a replay.
 * A batch has at most 64 requests, so this function compares each with all earlier ones. A set of the keys would be
 * slower (see `areReturned`).
 */
export function deduplicateByKey<Item extends { readonly idempotency: Idempotency | null }>(
  items: readonly Item[],
  scopeOf: (item: Item) => Scope,
): readonly Item[] {
  return items.filter((item, place) => {
    const key = item.idempotency?.key;
    if (key === undefined) return true;
    const { account, livemode } = scopeOf(item);
    for (let before = 0; before < place; before++) {
      const earlier = items[before] as Item;
      if (earlier.idempotency?.key !== key) continue;
      const scope = scopeOf(earlier);
      if (scope.account === account && scope.livemode === livemode) return false;
    }
    return true;
  });
}
