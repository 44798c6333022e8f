import type { Clock } from "../../core/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { type Background, type Loop, startLoop } from "../../platform/jobs/loop.ts";
import { deleteOldMailCounts, deleteOldMails } from "../../platform/mail/mail.sql.ts";
import { deleteOldAttempts } from "./attempts.sql.ts";
import { deleteExpiredLinks } from "./link.sql.ts";
import { deleteExpiredChallenges } from "./passkey.sql.ts";
import { deleteIdleSessions } from "./session.sql.ts";
import { idleMs } from "./session.ts";

const batchSize = 500;

const day = 24 * 60 * 60_000;

/**
 * The retention of mail in days. It is longer than the retries of unsent mail, and long enough to investigate whether a
 * mail was sent.
 */
export const mailKeptDays = 30;

/** Deletes expired rows. Queries ignore a row from the moment it expires. */
export function startPeopleExpiry(
  { database, clock }: { database: Database; clock: Clock },
  background: Background,
): Loop {
  const ago = (milliseconds: number) => new Date(clock.now().getTime() - milliseconds);
  const deletions: ((tx: Tx) => Promise<number>)[] = [
    (tx) => deleteIdleSessions(tx, ago(idleMs), batchSize),
    (tx) => deleteExpiredLinks(tx, clock.now(), batchSize),
    (tx) => deleteExpiredChallenges(tx, clock.now(), batchSize),
    (tx) => deleteOldAttempts(tx, ago(day), batchSize),
    (tx) => deleteOldMailCounts(tx, clock.now(), batchSize),
    (tx) => deleteOldMails(tx, ago(mailKeptDays * day), batchSize),
  ];
  return startLoop({
    name: "expiry of sessions and links",
    everyMs: 60_000,
    background,
    async work(signal) {
      let more = false;
      for (const remove of deletions) {
        if (signal.aborted) return false;
        if ((await database.autocommit(remove)) === batchSize) more = true;
      }
      return more;
    },
  });
}
