import { LRUCache } from "lru-cache";
import type { Clock } from "../core/clock.ts";
import type { Money } from "../core/money.ts";
import type { Scope } from "../core/scope.ts";
import { batchReads } from "../platform/database/batch-reads.ts";
import type { Database } from "../platform/database/database.ts";
import { readMeanAmounts } from "./amount-history.sql.ts";

/** Compares an amount with the merchant's mean in its currency. The ratio is 0 until there are enough payments. */
export type AmountHistory = { ratio(scope: Scope, price: Money): number };

/** The minimum number of payments in a currency. The mean of fewer payments is not reliable. */
const minPayments = 50;
/** The maximum number of payments of which the mean is computed. */
const maxPayments = 1_000;
const dayMs = 24 * 60 * 60 * 1000;
const minMemoryMs = 10 * 60 * 1000;
/** The maximum number of merchants in memory. The least recently used are dropped first. */
const maxRemembered = 100_000;

/**
 * Returns the time for which means of this many payments are cached. The more payments, the less a new one changes the
 * mean. Each payment is in a different page of a large table, so a merchant's means cost at most `maxPayments` page
 * reads per day.
 */
function memoryMs(payments: number): number {
  return Math.max(minMemoryMs, (dayMs * payments) / maxPayments);
}

/**
 * Reads the means in the background and caches them for ten minutes to a day. A charge never waits for them, so the
 * first charges after a start have no ratio.
 */
export function createAmountHistory(
  { database, clock }: { database: Database; clock: Clock },
  onError: (name: string, error: unknown) => void,
): AmountHistory {
  const readMeans = batchReads((scopes: readonly Scope[]) =>
    readMeanAmounts(database.read, scopes, { fewest: minPayments, latest: maxPayments }),
  );
  const remembered = new LRUCache<string, { means: Map<string, number>; until: number }>({
    // In contrast to `max`, the option `maxSize` allocates no memory for values that do not exist yet.
    maxSize: maxRemembered,
    sizeCalculation: () => 1,
  });

  function readAgain(place: string, scope: Scope, known: Map<string, number>): void {
    // The previous means apply during the read and after a failed one.
    remembered.set(place, { means: known, until: clock.now().getTime() + minMemoryMs });
    readMeans(scope).then(
      ({ means, payments }) =>
        remembered.set(place, { means, until: clock.now().getTime() + memoryMs(payments) }),
      (error: unknown) => onError("amount history", error),
    );
  }

  return {
    ratio(scope, { amountMinor, currency }) {
      const place = `${scope.account}${scope.livemode}`;
      const known = remembered.get(place);
      if (!known || known.until <= clock.now().getTime()) {
        readAgain(place, scope, known?.means ?? new Map());
      }
      const mean = known?.means.get(currency);
      return mean ? Math.round((amountMinor / mean) * 100) / 100 : 0;
    },
  };
}
