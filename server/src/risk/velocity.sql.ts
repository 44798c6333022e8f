import { idFromUuid } from "../core/ids.ts";
import {
  booleans,
  integers,
  keysOf,
  rowsOf,
  texts,
  uuids,
} from "../platform/database/array-parameter.ts";
import type { Tx } from "../platform/database/sql.ts";
import type { HourlyTally } from "./velocity.ts";

/**
 * Adds this process's counts to the shared counts, for many merchants in one statement. Locks rows in a fixed order to
 * prevent deadlocks.
 */
export async function addCounts(tx: Tx, news: readonly HourlyTally[]): Promise<void> {
  const counted = rowsOf({
    account_id: uuids(news, ({ scope }) => scope.account),
    livemode: booleans(news, ({ scope }) => scope.livemode),
    subject: texts(news, ({ subject }) => subject),
    hour: integers(news, ({ hour }) => hour),
    attempts: integers(news, ({ attempts }) => attempts),
    declines: integers(news, ({ declines }) => declines),
    mismatches: integers(news, ({ mismatches }) => mismatches),
  });
  await tx`
    insert into velocity_counts (account_id, livemode, subject, hour, attempts, declines, mismatches)
    select *
      from ${counted} as t
     order by account_id, livemode, subject, hour
        on conflict (account_id, livemode, subject, hour) do update
       set attempts = velocity_counts.attempts + excluded.attempts,
           declines = velocity_counts.declines + excluded.declines,
           mismatches = velocity_counts.mismatches + excluded.mismatches
  `;
}

type CountRow = {
  account_id: string;
  livemode: boolean;
  subject: string;
  hour: number;
  attempts: number;
  declines: number;
  mismatches: number;
};

/** Returns the counts of all processes for these subjects, from the hour `since` on. */
export async function readCounts(
  tx: Tx,
  subjects: readonly Pick<HourlyTally, "scope" | "subject">[],
  since: number,
): Promise<HourlyTally[]> {
  const requested = keysOf({
    account_id: uuids(subjects, ({ scope }) => scope.account),
    livemode: booleans(subjects, ({ scope }) => scope.livemode),
    subject: texts(subjects, ({ subject }) => subject),
  });
  const rows = await tx<CountRow>`
    select v.account_id, v.livemode, v.subject, v.hour, v.attempts, v.declines, v.mismatches
      from ${requested} as t
      join velocity_counts v
        on v.account_id = t.account_id and v.livemode = t.livemode and v.subject = t.subject
     where v.hour >= ${since}
  `;
  return rows.map(({ account_id, livemode, ...tally }) => ({
    scope: { account: idFromUuid("acct", account_id), livemode },
    ...tally,
  }));
}

/** Deletes up to `limit` expired counters. Returns the number deleted. */
export async function deleteOldCounts(tx: Tx, before: number, limit: number): Promise<number> {
  const rows = await tx`
    delete from velocity_counts
     where (account_id, livemode, subject, hour) in (
       select account_id, livemode, subject, hour from velocity_counts where hour < ${before} limit ${limit}
     )
    returning hour
  `;
  return rows.length;
}
