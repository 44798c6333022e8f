import type { Database } from "../database/database.ts";
import type { Clock } from "../primitives/clock.ts";
import type { Money } from "../primitives/money.ts";
import type { Owner } from "../primitives/owner.ts";
import { readUsualAmounts } from "./amount-history.sql.ts";

/** How an amount compares with what the merchant usually takes in that currency; 0 while too little is known. */
export type AmountHistory = { ratio(owner: Owner, price: Money): number };

/** The mean of fewer payments says nothing yet. */
const fewestPayments = 50;
const memoryMs = 10 * 60 * 1000;
const mostRemembered = 10_000;

/**
 * Read in the background and kept for ten minutes: a charge never waits for it, and the first after a start goes without.
 */
export function openAmountHistory(
  { database, clock }: { database: Database; clock: Clock },
  onError: (name: string, error: unknown) => void,
): AmountHistory {
  const remembered = new Map<string, { means: Map<string, number>; until: number }>();

  function readAgain(place: string, owner: Owner, known: Map<string, number>): void {
    if (remembered.size >= mostRemembered) remembered.clear();
    // Until it is read, and if it cannot be read, what was known counts.
    remembered.set(place, { means: known, until: clock.now().getTime() + memoryMs });
    readUsualAmounts(database.read, owner, fewestPayments).then(
      (means) => remembered.set(place, { means, until: clock.now().getTime() + memoryMs }),
      (error: unknown) => onError("amount history", error),
    );
  }

  return {
    ratio(owner, { amountMinor, currency }) {
      const place = `${owner.account}${owner.livemode}`;
      const known = remembered.get(place);
      if (!known || known.until <= clock.now().getTime()) {
        readAgain(place, owner, known?.means ?? new Map());
      }
      const mean = known?.means.get(currency);
      return mean ? Math.round((amountMinor / mean) * 100) / 100 : 0;
    },
  };
}
