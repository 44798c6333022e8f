import { idFromUuid } from "../../core/ids.ts";
import { entryMessage, headMessage } from "../../platform/audit/audit-entry.ts";
import { type AuditContext, fragment, type Sql } from "../../platform/database/sql.ts";
import { describe, type Found, limitExamples, mergeFound } from "./check.ts";

const theService = "00000000-0000-0000-0000-000000000000";

const log = (uuid: string): string =>
  uuid === theService
    ? "The service-wide audit log"
    : `The audit log of ${idFromUuid("acct", uuid)}`;

/**
 * Checks that each entry follows the one before it and has the hash of its text, that each chain ends at its head, and
 * that entries and heads are authentic. An attacker with write access to the database can recompute every hash, but not
 * the authentication codes.
 */
export async function findBrokenAuditChains(read: Sql, audit: AuditContext | null): Promise<Found> {
  const broken = await read<{ total: number; account_id: string; number: number; why: string }>`
    with chained as (
      select account_id, number, hash, entry,
             lag(number, 1, 0::bigint) over chain as previous_number,
             lag(hash, 1, ''::bytea) over chain as previous_hash
        from audit_log
      window chain as (partition by account_id order by number)
    )
    select count(*) over () as total, account_id, number,
           case when number <> previous_number + 1 then 'does not follow entry ' || previous_number
                else 'was changed' end as why
      from chained
     where number <> previous_number + 1
        or hash <> sha256(previous_hash || convert_to(entry, 'UTF8'))
     order by account_id, number
     ${limitExamples}
  `;
  const cut = await read<{ total: number; account_id: string; number: number; last: number }>`
    select count(*) over () as total, coalesce(h.account_id, l.account_id) as account_id,
           coalesce(h.number, 0) as number, coalesce(l.number, 0) as last
      from audit_heads h
      full join (select distinct on (account_id) account_id, number, hash
                   from audit_log
                  order by account_id, number desc) l on l.account_id = h.account_id
     where h.number is distinct from l.number or h.hash is distinct from l.hash
     ${limitExamples}
  `;
  // Starting a server or creating an account adds an entry to the service-wide log, so the log cannot be empty.
  const missing = await read<{ total: number }>`
    select 1 as total
     where (exists (select from processes) or exists (select from accounts))
       and not exists (select from audit_heads where account_id = ${theService})
  `;
  // The service-wide log has an entry for the start of each account's log.
  const removed = await read<{ total: number; account_id: string }>`
    select count(*) over () as total, started.chain as account_id
      from (select (entry::jsonb -> 'after' ->> 'chain')::uuid as chain
              from audit_log
             where account_id = ${theService} and action = 'audit_log.started') started
     where not exists (select from audit_heads h where h.account_id = started.chain and h.number > 0)
     order by started.chain
     ${limitExamples}
  `;
  return mergeFound(
    describe(
      broken,
      ({ account_id, number, why }) => `${log(account_id)}: entry ${number} ${why}.`,
    ),
    describe(
      cut,
      ({ account_id, number, last }) =>
        `${log(account_id)} ends at entry ${last}, but its head is at ${number}.`,
    ),
    describe(missing, () => `${log(theService)} is missing.`),
    describe(removed, ({ account_id }) => `${log(account_id)} was removed.`),
    audit ? await findForgedEntries(read, audit) : { total: 0, sentences: [] },
  );
}

const rowsPerPage = 5_000;
const maxSentences = 20;

type Authenticated = { account_id: string; number: number; hash: Buffer; mac: Buffer | null };

/**
 * Compares the authentication codes in this process, a page at a time, because Postgres cannot compute an HMAC without
 * an extension.
 */
async function findForgedEntries(read: Sql, audit: AuditContext): Promise<Found> {
  const sentences: string[] = [];
  let total = 0;
  const compare = async (row: Authenticated, message: typeof entryMessage, what: string) => {
    const expected = await audit.mac(message({ ...row, chain: row.account_id }));
    if (row.mac?.equals(expected)) return;
    total += 1;
    if (sentences.length < maxSentences) {
      sentences.push(`${log(row.account_id)}: ${what} ${row.number} is not authentic.`);
    }
  };
  let last: Authenticated | null = null;
  for (;;) {
    const rows: Authenticated[] = await read<Authenticated>`
      select account_id, number, hash, mac
        from audit_log
       ${last ? fragment`where (account_id, number) > (${last.account_id}, ${last.number})` : fragment``}
       order by account_id, number
       limit ${rowsPerPage}
    `;
    for (const row of rows) await compare(row, entryMessage, "entry");
    last = rows.at(-1) ?? null;
    if (rows.length < rowsPerPage) break;
  }
  const heads = await read<Authenticated>`
    select account_id, number, hash, mac from audit_heads where number > 0
  `;
  for (const head of heads) await compare(head, headMessage, "the head at");
  return { total, sentences };
}
