import { setTimeout as sleep } from "node:timers/promises";
import type { CheckerReport } from "@florin/contract/operator.ts";
import { newId } from "../../core/ids.ts";
import { insertDailySearch } from "../../insights/monitoring/checker-run.sql.ts";
import { findCardsOutsideTheVault } from "../../insights/verify/cards.sql.ts";
import { checks } from "../../insights/verify/checks.ts";
import { type Background, type Loop, startLoop } from "../../platform/jobs/loop.ts";
import { type CheckerDeps, executeOpenRun } from "./checker-run.ts";

export type CardSearchDeps = CheckerDeps & {
  /** The hour of the day, in UTC, at which the day's search becomes due. */
  readonly hour: number;
  readonly log: CardSearchLog;
};

export type CardSearchLog = {
  /** Logs that card data was found outside the vault. The log line does not contain the locations. */
  found(places: number): void;
};

const hourMs = 60 * 60_000;
const checkName = "no_card_outside_the_vault";

/** The search pauses nine times as long as it works, so it uses at most a tenth of one connection. */
const sleepFactor = 9;

/**
 * Searches all tables for card data outside the vault once a day (docs/operating/card-data.md). All processes with
 * workers run this loop, and one of them runs the search. If no process ran at the hour, the next process that starts
 * runs the latest search that is due.
 */
export function startCardSearch(deps: CardSearchDeps, background: Background): Loop {
  const { database, clock, hour } = deps;
  return startLoop({
    name: "card data search",
    everyMs: 60_000,
    background,
    async work(signal) {
      const now = clock.now();
      const id = newId("run", now);
      await database.autocommit((tx) => insertDailySearch(tx, id, dayOfSearch(now, hour)));
      return executeOpenRun(deps, "card_data", signal, (ended) => search(deps, ended));
    },
  });
}

/** Returns the day whose search is due: today once the hour is reached, and yesterday before it. */
function dayOfSearch(now: Date, hour: number): string {
  return new Date(now.getTime() - hour * hourMs).toISOString().slice(0, 10);
}

async function search(
  { database, log }: CardSearchDeps,
  signal: AbortSignal,
): Promise<CheckerReport> {
  const startedAt = performance.now();
  // The search runs in many separate statements. One long transaction would prevent vacuum from removing dead rows for
  // hours.
  const found = await findCardsOutsideTheVault(database.read, async (partMs) => {
    await sleep(partMs * sleepFactor, undefined, { signal });
  });
  if (found.total > 0) log.found(found.total);
  return {
    violations: found.total,
    duration_ms: Math.round(performance.now() - startedAt),
    results: [
      {
        name: checkName,
        invariant: checks.find(({ name }) => name === checkName)?.invariant ?? "",
        examined: found.tables,
        violations: found.total,
        sentences: found.sentences,
      },
    ],
  };
}
