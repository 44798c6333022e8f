import { booleans, integers, texts, uuids } from "../database/array-parameter.ts";
import type { Tx } from "../database/sql.ts";
import { idFromUuid } from "../primitives/ids.ts";
import type { HourlyTally } from "./velocity.ts";

/** Adds what this process has counted to what all have, of many merchants at once. Rows are taken in one order. */
export async function addCounts(tx: Tx, news: readonly HourlyTally[]): Promise<void> {
  await tx`
    insert into velocity_counts (account_id, livemode, subject, hour, attempts, declines, mismatches)
    select *
      from unnest(
        ${uuids(news, ({ owner }) => owner.account)}::uuid[],
        ${booleans(news, ({ owner }) => owner.livemode)}::boolean[],
        ${texts(news, ({ subject }) => subject)}::text[],
        ${integers(news, ({ hour }) => hour)}::integer[],
        ${integers(news, ({ attempts }) => attempts)}::integer[],
        ${integers(news, ({ declines }) => declines)}::integer[],
        ${integers(news, ({ mismatches }) => mismatches)}::integer[]
      ) as t (account_id, livemode, subject, hour, attempts, declines, mismatches)
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

/** What all processes have counted of these subjects since the hour. */
export async function readCounts(
  tx: Tx,
  subjects: readonly Pick<HourlyTally, "owner" | "subject">[],
  since: number,
): Promise<HourlyTally[]> {
  const rows = await tx<CountRow>`
    select v.account_id, v.livemode, v.subject, v.hour, v.attempts, v.declines, v.mismatches
      from unnest(
        ${uuids(subjects, ({ owner }) => owner.account)}::uuid[],
        ${booleans(subjects, ({ owner }) => owner.livemode)}::boolean[],
        ${texts(subjects, ({ subject }) => subject)}::text[]
      ) as t (account_id, livemode, subject)
      join velocity_counts v
        on v.account_id = t.account_id and v.livemode = t.livemode and v.subject = t.subject
     where v.hour >= ${since}
  `;
  return rows.map(({ account_id, livemode, ...tally }) => ({
    owner: { account: idFromUuid("acct", account_id), livemode },
    ...tally,
  }));
}

/** Forgets, a part at a time, what is older than any signal looks back. Answers how much it was. */
export async function forgetCounts(tx: Tx, before: number, limit: number): Promise<number> {
  const rows = await tx`
    delete from velocity_counts
     where ctid in (select ctid from velocity_counts where hour < ${before} limit ${limit})
    returning hour
  `;
  return rows.length;
}
