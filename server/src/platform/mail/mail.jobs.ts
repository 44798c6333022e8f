import type { Clock } from "../../core/clock.ts";
import type { Database } from "../database/database.ts";
import { startDueWork } from "../jobs/due-work.ts";
import type { Background, Loop } from "../jobs/loop.ts";
import { claimDueMails, markFailed, markSent } from "./mail.sql.ts";
import { nextRetryAt, type QueuedMail } from "./mail.ts";
import type { SendMail } from "./smtp.ts";

/** The lease of a claimed email. It is longer than each SMTP timeout, so that few emails are sent twice. */
const leaseMs = 2 * 60_000;

export type MailDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly send: SendMail;
  readonly log: {
    /** Called when an email could not be sent. The email is retried at `next`, which is null after the last attempt. */
    notSent(mail: string, reason: string, next: Date | null): void;
  };
};

/** Sends queued email. After a crash between sending and recording, an email is sent twice, so that none is lost. */
export function startMail(deps: MailDeps, background: Background): Loop {
  return startDueWork({
    name: "mail",
    everyMs: 1_000,
    // Emails are sent one at a time, in the order in which they are due.
    batchSize: 1,
    take: (limit) => claimDueMails(deps, { leaseMs, limit }),
    handle: (mail) => sendOne(deps, mail),
    background,
  });
}

async function sendOne({ database, clock, send, log }: MailDeps, mail: QueuedMail): Promise<void> {
  try {
    await send(mail);
    await database.autocommit((tx) => markSent(tx, mail.id, clock.now()));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const dueAt = nextRetryAt(mail.attempts, clock.now());
    log.notSent(mail.id, reason, dueAt);
    await database.autocommit((tx) => markFailed(tx, mail.id, reason.slice(0, 500), dueAt));
  }
}
