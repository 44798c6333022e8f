import { idFromUuid } from "../../core/ids.ts";
import type { Sql } from "../../platform/database/sql.ts";
import { describe, type Found, limitExamples, mergeFound } from "./check.ts";

const charge = (uuid: string): string => idFromUuid("ch", uuid);

/**
 * Finds charges that contradict their 3-D Secure result: money moved although the issuer rejected or the cardholder
 * canceled the authentication, money moved in test mode without a required result, or the charge reports another result.
 * Finds card verifications that succeeded despite their result.
 */
export async function findPaymentsAgainstAuthentication(read: Sql): Promise<Found> {
  const unauthenticated = await read<{
    total: number;
    id: string;
    status: string;
    result: string | null;
  }>`
    select count(*) over () as total, c.id, c.status, a.result
      from charges c
      left join authentications a
        on a.account_id = c.account_id and a.livemode = c.livemode and a.charge_id = c.id
     where c.status in ('succeeded', 'authorized')
       -- In live mode, the acquirer authenticates the cardholder, so a missing result is not an error.
       and ((c.decision_outcome = 'challenge' and not c.livemode) or a.charge_id is not null)
       and coalesce(a.result not in ('authenticated', 'attempted', 'informational', 'unavailable'), true)
     ${limitExamples}
  `;
  const unverified = await read<{
    total: number;
    id: string;
    status: string;
    result: string | null;
  }>`
    select count(*) over () as total, v.id, v.status, a.result
      from card_verifications v
      left join authentications a
        on a.account_id = v.account_id and a.livemode = v.livemode and a.charge_id = v.id
     where v.status = 'succeeded'
       and ((v.decision_outcome = 'challenge' and not v.livemode) or a.charge_id is not null)
       and coalesce(a.result not in ('authenticated', 'attempted', 'informational', 'unavailable'), true)
     ${limitExamples}
  `;
  const misquoted = await read<{ total: number; id: string; shown: string | null; result: string }>`
    select count(*) over () as total, c.id, c.three_d_secure ->> 'result' as shown, a.result
      from authentications a
      join charges c on c.account_id = a.account_id and c.livemode = a.livemode and c.id = a.charge_id
     where a.due_at is null and c.status <> 'failed'
       -- Excludes charges that the merchant canceled during the challenge, because they received no result.
       and not (c.status = 'canceled' and c.checks is null and c.three_d_secure is null)
       and (c.three_d_secure ->> 'result' is distinct from a.result
            or c.three_d_secure ->> 'ds_transaction_id' is distinct from a.ds_transaction_id)
     ${limitExamples}
  `;
  const orphans = await read<{ total: number; id: string }>`
    select count(*) over () as total, a.charge_id as id
      from authentications a
      left join charges c
        on c.account_id = a.account_id and c.livemode = a.livemode and c.id = a.charge_id
      left join card_verifications v
        on v.account_id = a.account_id and v.livemode = a.livemode and v.id = a.charge_id
     where c.id is null and v.id is null
     ${limitExamples}
  `;
  return mergeFound(
    describe(unauthenticated, ({ id, status, result }) =>
      result === null
        ? `${charge(id)} is ${status} and required 3-D Secure, but has no result.`
        : `${charge(id)} is ${status}, but its 3-D Secure result is ${result}.`,
    ),
    describe(
      unverified,
      ({ id, status, result }) =>
        `${idFromUuid("cv", id)} is ${status}, but its 3-D Secure result is ${result ?? "missing"}.`,
    ),
    describe(
      misquoted,
      ({ id, shown, result }) =>
        `${charge(id)} shows the 3-D Secure result ${shown ?? "null"}, but the authentication has the result ${result}, or belongs to another transaction.`,
    ),
    describe(
      orphans,
      ({ id }) => `An authentication belongs to ${charge(id)}, which does not exist.`,
    ),
  );
}
