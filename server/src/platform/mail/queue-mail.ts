import { ApiError } from "../../core/api-error.ts";
import { newId } from "../../core/ids.ts";
import type { Tx } from "../database/sql.ts";
import { countMail, insertMail } from "./mail.sql.ts";
import type { Mail } from "./mail.ts";
import { limitsOf, type MailPurpose, secondsToNextDay } from "./mail-limits.ts";

/**
 * Queues an email in the transaction of the change that it announces, so that neither exists without the other. Throws
 * 429 when a limit is used up, which rolls back the change.
 */
export async function queueMail(
  tx: Tx,
  mail: Mail,
  purpose: MailPurpose,
  now: Date,
): Promise<void> {
  if (!(await tryToQueueMail(tx, mail, purpose, now))) throw tooMuchMail(now);
}

/** Queues an email that may be skipped. Returns false, and queues nothing, when a limit is used up. */
export async function tryToQueueMail(
  tx: Tx,
  mail: Mail,
  purpose: MailPurpose,
  now: Date,
): Promise<boolean> {
  for (const limit of limitsOf(purpose, mail.to)) {
    if (!(await countMail(tx, limit, now))) return false;
  }
  await insertMail(tx, { ...mail, id: newId("mail", now), attempts: 0 }, now);
  return true;
}

function tooMuchMail(now: Date): ApiError {
  const retryAfterSeconds = secondsToNextDay(now);
  const hours = Math.ceil(retryAfterSeconds / 3_600);
  return new ApiError(
    "mail_limit_exceeded",
    `The daily limit of emails to this address, or from this account, has been reached. Try again in ${hours === 1 ? "1 hour" : `${hours} hours`}.`,
    { retryAfterSeconds },
  );
}
