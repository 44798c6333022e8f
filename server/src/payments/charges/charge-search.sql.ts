import { paymentMethodIdFromUuid } from "../../cards/payment-methods/payment-method-id.ts";
import { type ChargeId, idFromNullableUuid, idFromUuid, uuidOf } from "../../core/ids.ts";
import type { Metadata } from "../../core/metadata.ts";
import type { Scope } from "../../core/scope.ts";
import { column } from "../../platform/database/array-literal.ts";
import { rowsOf, texts, uuids } from "../../platform/database/array-parameter.ts";
import { type Fragment, fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import { lowest, type Page } from "../../platform/http/list.ts";
import type { ChargeKey } from "./charge.sql.ts";
import type { ChargeStatus } from "./charge.ts";
import type { IdRange, SearchFields } from "./charge-search.ts";

/** Returns the ID of the newest charge in the search index. */
export async function readSearchPosition(read: Sql, scope: Scope): Promise<string> {
  const [row] = await read<{ searched_to: string }>`
    select searched_to
      from charge_search_progress
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
  `;
  return row?.searched_to ?? lowest;
}

/** Returns the blocks within the page's bounds that contain at least one word of each group, in the page's order. */
export async function findBlocks(
  read: Sql,
  scope: Scope,
  groups: readonly (readonly string[])[],
  { below, from, upwards, limit }: Page,
): Promise<IdRange[]> {
  const having = groups.reduce<Fragment>(
    // The subselect hides the words from the planner. The planner underestimates the cost of decompressing the words of
    // a block, and would otherwise choose a plan that reads every block if the words are frequent.
    (before, words) => fragment`${before} and words && (select ${words}::bigint[])`,
    fragment``,
  );
  // The query is materialized, so that the planner uses the word index. Otherwise the limit makes the planner scan the
  // blocks in order and read the words of each block.
  const rows = await read<{ first_id: string; last_id: string }>`
    with having_words as materialized (
      select first_id, last_id
        from charge_search
       where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
         and first_id < ${below} and last_id >= ${from}
         ${having}
    )
    select distinct on (first_id) first_id, last_id
      from having_words
     order by first_id ${upwards ? fragment`asc` : fragment`desc`}, last_id desc
     limit ${limit}
  `;
  return rows.map(({ first_id: first, last_id: last }) => ({ first, last }));
}

/** Returns the merchants with at least `atLeast` unindexed charges whose IDs are below `before`. */
export async function listScopesToIndex(
  read: Sql,
  before: string,
  atLeast: number,
): Promise<Scope[]> {
  const rows = await read<{ account_id: string; livemode: boolean }>`
    select a.id as account_id, m.livemode
      from accounts a
     cross join (values (false), (true)) as m (livemode)
      left join charge_search_progress p on p.account_id = a.id and p.livemode = m.livemode
     where exists (
       select
         from charges c
        where c.account_id = a.id and c.livemode = m.livemode
          and c.id > coalesce(p.searched_to, ${lowest}) and c.id < ${before}
        order by c.id
       offset ${atLeast - 1}
        limit 1
     )
  `;
  return rows.map(({ account_id, livemode }) => ({
    account: idFromUuid("acct", account_id),
    livemode,
  }));
}

/** Locks and returns the merchant's search position, so that only one worker advances it. */
export async function lockSearchPosition(tx: Tx, scope: Scope): Promise<string> {
  const account = uuidOf(scope.account);
  await tx`
    insert into charge_search_progress (account_id, livemode, searched_to)
    values (${account}, ${scope.livemode}, ${lowest})
        on conflict do nothing
  `;
  const [row] = await tx<{ searched_to: string }>`
    select searched_to
      from charge_search_progress
     where account_id = ${account} and livemode = ${scope.livemode}
       for update
  `;
  return (row as { searched_to: string }).searched_to;
}

/** Returns the next charges to index, with the fields that are searched. */
export async function readUnindexedCharges(
  tx: Tx,
  scope: Scope,
  after: string,
  before: string,
  limit: number,
): Promise<(SearchFields & { readonly uuid: string })[]> {
  const rows = await tx<SearchedRow>`
    select id, status, amount, currency, card->>'brand' as brand, card->>'last4' as last4, payment_method_id,
           customer_id, metadata, decision_details->>'email' as email
      from charges
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       and id > ${after} and id < ${before}
     order by id
     limit ${limit}
  `;
  return rows.map((row) => ({
    uuid: row.id,
    status: row.status,
    amountMinor: row.amount,
    currency: row.currency,
    brand: row.brand,
    last4: row.last4,
    paymentMethodId: paymentMethodIdFromUuid(row.payment_method_id),
    customerId: idFromNullableUuid("cus", row.customer_id),
    metadata: row.metadata,
    email: row.email,
  }));
}

type SearchedRow = {
  id: string;
  status: ChargeStatus;
  amount: number;
  currency: string;
  brand: string;
  last4: string | null;
  payment_method_id: string;
  customer_id: string | null;
  metadata: Metadata;
  email: string | null;
};

/** A block, with the hashed words of its charges. */
export type Block = IdRange & { readonly words: readonly string[] };

/** Inserts consecutive blocks and advances the search position. */
export async function insertBlocks(tx: Tx, scope: Scope, blocks: readonly Block[]): Promise<void> {
  const account = uuidOf(scope.account);
  const entered = rowsOf({
    first_id: uuids(blocks, ({ first }) => first),
    last_id: uuids(blocks, ({ last }) => last),
    words: texts(blocks, ({ words }) => column(words, (word) => word)),
  });
  await tx`
    insert into charge_search (account_id, livemode, first_id, last_id, words)
    select ${account}, ${scope.livemode}, first_id, last_id, words::bigint[]
      from ${entered} as block
  `;
  await tx`
    update charge_search_progress
       set searched_to = ${blocks.at(-1)?.last}
     where account_id = ${account} and livemode = ${scope.livemode}
  `;
}

/**
 * Adds the words of a changed or late charge to its block. A late charge whose ID is between two blocks is added to the
 * earlier block. Does nothing if the charge is newer than the search index. This statement and `insertBlocks` wait for
 * each other's transaction, so that no word is lost between them.
 */
export async function amendBlock(
  tx: Tx,
  scope: Scope,
  id: ChargeId,
  words: readonly string[],
): Promise<void> {
  const account = uuidOf(scope.account);
  await tx`
    select from charge_search_progress
     where account_id = ${account} and livemode = ${scope.livemode}
       for share
  `;
  await tx`
    insert into charge_search (account_id, livemode, first_id, last_id, amends, words)
    select s.account_id, s.livemode, s.first_id, greatest(s.last_id, ${uuidOf(id)}), ${uuidOf(id)}, ${words}::bigint[]
      from charge_search s
      join charge_search_progress p
        on p.account_id = s.account_id and p.livemode = s.livemode and p.searched_to >= ${uuidOf(id)}
     where s.account_id = ${account} and s.livemode = ${scope.livemode} and s.amends = ${lowest}
       and s.first_id <= ${uuidOf(id)}
     order by s.first_id desc
     limit 1
        on conflict (account_id, livemode, first_id, amends)
        do update set words = charge_search.words || excluded.words
  `;
}

/** Deletes up to `limit` late charges of all merchants from the queue and returns them. */
export async function dequeueLateCharges(tx: Tx, limit: number): Promise<ChargeKey[]> {
  const rows = await tx<{ account_id: string; livemode: boolean; charge_id: string }>`
    delete from charge_search_late
     where (account_id, livemode, charge_id) in (
       select account_id, livemode, charge_id
         from charge_search_late
        order by account_id, livemode, charge_id
        limit ${limit}
          for update skip locked
     )
    returning account_id, livemode, charge_id
  `;
  return rows.map(({ account_id, livemode, charge_id }) => ({
    scope: { account: idFromUuid("acct", account_id), livemode },
    id: idFromUuid("ch", charge_id),
  }));
}
