import type { Database } from "../database/database.ts";
import { type Loop, startLoop } from "../jobs/loop.ts";
import type { Clock } from "../primitives/clock.ts";
import type { Line } from "../processors/line.ts";
import { bringInquiriesForward } from "./catch-up.sql.ts";

type CatchUpDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly line: Line;
  readonly log: CatchUpLog;
};

export type CatchUpLog = {
  acquirerSilent(): void;
  acquirerAnswers(): void;
};

/** How often one is asked about ahead of its time while the acquirer is silent, to notice when it is not. */
const tryEveryMs = 15_000;

/** Whoever comes due by itself within this time is left alone, and so is whoever is being asked about now. */
const soonMs = 60_000;

/** An acquirer that has just come back is not met by all of them at once. */
const overSeconds = 30;

const atOnce = 1_000;

/**
 * When an acquirer that was silent answers again, all that waits for its word is asked about within half a minute: the
 * next inquiry of its own may be an hour away, and its customer waits.
 */
export function startCatchingUp(
  { database, clock, line, log }: CatchUpDeps,
  onError: (name: string, error: unknown) => void,
): Loop {
  let wasSilent = false;
  let tryAgainAt = 0;

  async function bringForward(limit: number): Promise<{ charges: number; operations: number }> {
    const now = clock.now();
    const when = { now, after: new Date(now.getTime() + soonMs), overSeconds };
    return database.transaction(async (tx) => ({
      charges: await bringInquiriesForward(tx, "charges", when, limit),
      operations: await bringInquiriesForward(tx, "operations", when, limit),
    }));
  }

  return startLoop({
    name: "catching up",
    everyMs: 1_000,
    onError,
    async work() {
      const isSilent = line.isSilent();
      if (isSilent) {
        if (!wasSilent) log.acquirerSilent();
        wasSilent = true;
        if (clock.now().getTime() < tryAgainAt) return false;
        tryAgainAt = clock.now().getTime() + tryEveryMs;
        await bringForward(1);
        return false;
      }
      if (!wasSilent) return false;
      const { charges, operations } = await bringForward(atOnce);
      const isMore = charges === atOnce || operations === atOnce;
      if (!isMore) log.acquirerAnswers();
      wasSilent = isMore;
      return isMore;
    },
  });
}
