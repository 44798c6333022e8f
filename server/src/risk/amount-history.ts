import type { Clock } from "../core/clock.ts";
import type { Money } from "../core/money.ts";
import type { Scope } from "../core/scope.ts";
import type { Database } from "../platform/database/database.ts";
import { readMeanAmounts } from "./amount-history.sql.ts";

/** Compares an amount with the merchant's mean in its currency. The ratio is 0 until there are enough payments. */
export type AmountHistory = { ratio(scope: Scope, price: Money): number };

/** The minimum number of payments in a currency. The mean of fewer payments is not reliable. */
const minPayments = 50;
const memoryMs = 10 * 60 * 1000;
const maxRemembered = 10_000;

/**
 * Reads the means in the background and caches them for ten minutes. A charge never waits for them, so the first
 * charges after a start have no ratio.
 */
export function createAmountHistory(
  { database, clock }: { database: Database; clock: Clock },
  onError: (name: string, error: unknown) => void,
): AmountHistory {
  const remembered = new Map<string, { means: Map<string, number>; until: number }>();

  function readAgain(place: string, scope: Scope, known: Map<string, number>): void {
    if (remembered.size >= maxRemembered) remembered.clear();
    // The previous means apply during the read and after a failed one.
    remembered.set(place, { means: known, until: clock.now().getTime() + memoryMs });
    readMeanAmounts(database.read, scope, minPayments).then(
      (means) => remembered.set(place, { means, until: clock.now().getTime() + memoryMs }),
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
