import type { Clock } from "../../core/clock.ts";
import { firstUuidAt, idFromUuid, type MailId, uuidOf } from "../../core/ids.ts";
import type { Database } from "../database/database.ts";
import { fragment, type Sql, type Tx } from "../database/sql.ts";
import { type Claim, claimDue, type Queue } from "../jobs/claim-due.sql.ts";
import type { MailBrand, QueuedMail } from "./mail.ts";
import type { MailLimit } from "./mail-limits.ts";

type MailRow = {
  id: string;
  recipient: string;
  subject: string;
  body: string;
  action: string | null;
  brand: MailBrand | null;
  language: string | null;
  reply_to: string | null;
  attempts: number;
};

export async function insertMail(tx: Tx, mail: QueuedMail, dueAt: Date): Promise<void> {
  await tx`
    insert into mails (id, recipient, subject, body, action, brand, language, reply_to, due_at)
    values (${uuidOf(mail.id)}, ${mail.to}, ${mail.subject}, ${mail.text}, ${mail.action ?? null},
            ${mail.brand ?? null}::jsonb, ${mail.language ?? null}, ${mail.replyTo ?? null}, ${dueAt})
  `;
}

/** Counts an email against the limit of the day. Returns false when the limit is used up. */
export async function countMail(
  tx: Tx,
  { subject, maxPerDay }: MailLimit,
  now: Date,
): Promise<boolean> {
  const rows = await tx`
    insert into mail_counts as m (subject, day, count)
    values (${subject}, (${now}::timestamptz at time zone 'UTC')::date, 1)
        on conflict (subject, day) do update set count = m.count + 1 where m.count < ${maxPerDay}
    returning count
  `;
  return rows.length === 1;
}

/** Deletes up to `limit` counts of earlier days. Returns the number deleted. */
export async function deleteOldMailCounts(tx: Tx, now: Date, limit: number): Promise<number> {
  const rows = await tx`
    delete from mail_counts
     where (subject, day) in (
       select subject, day
         from mail_counts
        where day < (${now}::timestamptz at time zone 'UTC')::date
        limit ${limit}
     )
    returning subject
  `;
  return rows.length;
}

const dueMails: Queue = {
  table: fragment`mails`,
  key: fragment`id`,
  dueAt: fragment`due_at`,
  waits: fragment`due_at is not null`,
  alsoSets: fragment`, attempts = attempts + 1`,
};

const mailColumns = fragment`id, recipient, subject, body, action, brand, language, reply_to, attempts`;

/** Claims emails that are due. */
export async function claimDueMails(
  deps: { readonly database: Database; readonly clock: Clock },
  claim: Omit<Claim, "columns">,
): Promise<QueuedMail[]> {
  const rows = await claimDue<MailRow>(deps, dueMails, { ...claim, columns: mailColumns });
  return rows.map(toMail);
}

/** Marks an email as sent and deletes its text, which may contain a sign-in link. */
export async function markSent(tx: Tx, id: MailId, at: Date): Promise<void> {
  await tx`
    update mails set sent_at = ${at}, due_at = null, body = null, last_error = null
     where id = ${uuidOf(id)} and sent_at is null
  `;
}

export async function markFailed(
  tx: Tx,
  id: MailId,
  error: string,
  dueAt: Date | null,
): Promise<void> {
  await tx`
    update mails
       set due_at = ${dueAt}, last_error = ${error}, body = case when ${dueAt}::timestamptz is null then null else body end
     where id = ${uuidOf(id)} and sent_at is null
  `;
}

/** Returns queued emails, newest first. */
export async function readWaitingMails(read: Sql, limit: number): Promise<QueuedMail[]> {
  const rows = await read<MailRow>`
    select ${mailColumns}
      from mails
     where due_at is not null
     order by id desc
     limit ${limit}
  `;
  return rows.map(toMail);
}

export async function deleteOldMails(tx: Tx, before: Date, limit: number): Promise<number> {
  const rows = await tx`
    delete from mails
     where id in (select id from mails where id < ${firstUuidAt(before)} order by id limit ${limit})
    returning id
  `;
  return rows.length;
}

function toMail(row: MailRow): QueuedMail {
  return {
    id: idFromUuid("mail", row.id),
    to: row.recipient,
    subject: row.subject,
    text: row.body,
    action: row.action,
    brand: row.brand,
    language: row.language,
    replyTo: row.reply_to,
    attempts: row.attempts,
  };
}
