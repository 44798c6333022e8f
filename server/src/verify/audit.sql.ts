import type { Sql } from "../database/sql.ts";
import { idFromUuid } from "../primitives/ids.ts";
import { type Found, firstOnes, tell, together } from "./check.ts";

const account = (uuid: string): string => idFromUuid("acct", uuid);

/** Each entry follows upon the one before, is what was hashed, and the last is the one that the head names. */
export async function findBrokenAuditChains(read: Sql): Promise<Found> {
  const broken = await read<{ total: number; account_id: string; number: number; why: string }>`
    with chained as (
      select account_id, number, hash, entry,
             lag(number, 1, 0::bigint) over chain as previous_number,
             lag(hash, 1, ''::bytea) over chain as previous_hash
        from audit_log
      window chain as (partition by account_id order by number)
    )
    select count(*) over () as total, account_id, number,
           case when number <> previous_number + 1 then 'does not follow upon ' || previous_number
                else 'is not what was written' end as why
      from chained
     where number <> previous_number + 1
        or hash <> sha256(previous_hash || convert_to(entry, 'UTF8'))
     order by account_id, number
     ${firstOnes}
  `;
  const cut = await read<{ total: number; account_id: string; number: number; last: number }>`
    select count(*) over () as total, coalesce(h.account_id, l.account_id) as account_id,
           coalesce(h.number, 0) as number, coalesce(l.number, 0) as last
      from audit_heads h
      full join (select distinct on (account_id) account_id, number, hash
                   from audit_log
                  order by account_id, number desc) l on l.account_id = h.account_id
     where h.number is distinct from l.number or h.hash is distinct from l.hash
     ${firstOnes}
  `;
  return together(
    tell(
      broken,
      ({ account_id, number, why }) =>
        `Entry ${number} of the audit log of ${account(account_id)} ${why}.`,
    ),
    tell(
      cut,
      ({ account_id, number, last }) =>
        `The audit log of ${account(account_id)} ends at ${last}, and its head says ${number}.`,
    ),
  );
}
