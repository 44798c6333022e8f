import type { Clock } from "../../core/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { type Deletion, startDeletions } from "../../platform/jobs/delete-expired.ts";
import type { Background, Loop } from "../../platform/jobs/loop.ts";
import { deleteOldMailCounts, deleteOldMails } from "../../platform/mail/mail.sql.ts";
import { deleteOldAttempts } from "./attempts.sql.ts";
import { deleteExpiredLinks } from "./link.sql.ts";
import { deleteExpiredChallenges } from "./passkey.sql.ts";
import { deleteIdleSessions } from "./session.sql.ts";
import { idleMs } from "./session.ts";

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
  const deletions: readonly Deletion[] = [
    (tx, limit) => deleteIdleSessions(tx, ago(idleMs), limit),
    (tx, limit) => deleteExpiredLinks(tx, clock.now(), limit),
    (tx, limit) => deleteExpiredChallenges(tx, clock.now(), limit),
    (tx, limit) => deleteOldAttempts(tx, ago(day), limit),
    (tx, limit) => deleteOldMailCounts(tx, clock.now(), limit),
    (tx, limit) => deleteOldMails(tx, ago(mailKeptDays * day), limit),
  ];
  return startDeletions(
    { name: "expiry of sessions and links", everyMs: 60_000, database, deletions, batchSize: 500 },
    background,
  );
}
