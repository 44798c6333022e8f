import { type Loop, startLoop } from "../jobs/loop.ts";
import type { Line } from "../processors/line.ts";
import {
  bringChargesForward,
  bringOperationsForward,
  readWaitingCharge,
  readWaitingOperation,
} from "./catch-up.sql.ts";
import type { ChargeDeps } from "./charge-deps.ts";

type CatchUpDeps = Pick<ChargeDeps, "database" | "clock" | "processorFor"> & {
  readonly line: Line;
  readonly log: CatchUpLog;
};

export type CatchUpLog = {
  acquirerSilent(): void;
  acquirerAnswers(): void;
};

/** How often a silent acquirer is asked about something that waits, to notice when it answers. */
const knockEveryMs = 15_000;

/** Whoever comes due by itself within this time is left alone. */
const soonMs = 60_000;

/** One that comes and goes is not asked about everything each time it comes. */
const restMs = 5 * 60_000;

/** A statement locks no more rows than this; the next one follows. */
const atOnce = 1_000;

/**
 * When an acquirer that was silent answers again, all that waits for its word is asked about: the next inquiry of its own
 * may be an hour away, and its customer waits.
 */
export function startCatchingUp(
  { database, clock, processorFor, line, log }: CatchUpDeps,
  onError: (name: string, error: unknown) => void,
): Loop {
  let isOwed = false;
  let knockAt = 0;
  let restsUntil = 0;

  /** Nothing of the answer is written down: an inquiry of its own will hear it, and is neither counted nor put off by this. */
  async function knock(): Promise<void> {
    const charge = await readWaitingCharge(database.read);
    if (charge) {
      const { owner, id } = charge;
      await processorFor(owner)?.inquire({ account: owner.account, reference: id });
      return;
    }
    const operation = await readWaitingOperation(database.read);
    if (!operation) return;
    const { owner, id } = operation;
    await processorFor(owner)?.inquireOperation({ account: owner.account, reference: id });
  }

  async function bringAllForward(now: Date): Promise<void> {
    const later = new Date(now.getTime() + soonMs);
    for (const bringForward of [bringChargesForward, bringOperationsForward]) {
      while (await database.transaction((tx) => bringForward(tx, now, later, atOnce)));
    }
  }

  return startLoop({
    name: "catching up",
    everyMs: 1_000,
    onError,
    async work() {
      const now = clock.now();
      if (line.isSilent()) {
        if (!isOwed) log.acquirerSilent();
        isOwed = true;
        if (now.getTime() < knockAt) return false;
        knockAt = now.getTime() + knockEveryMs;
        await knock();
        // Whether it answered is looked at next.
        return true;
      }
      if (!isOwed || now.getTime() < restsUntil) return false;
      await bringAllForward(now);
      log.acquirerAnswers();
      isOwed = false;
      restsUntil = now.getTime() + restMs;
      return false;
    },
  });
}
