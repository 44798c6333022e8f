import { column } from "../database/array-literal.ts";
import { rowsOf, texts, uuids } from "../database/array-parameter.ts";
import { type Fragment, fragment, type Sql, type Tx } from "../database/sql.ts";
import { lowest, type Page } from "../http/list.ts";
import { paymentMethodIdFromUuid } from "../payment-methods/payment-method-id.ts";
import { type ChargeId, idFromNullableUuid, idFromUuid, uuidOf } from "../primitives/ids.ts";
import type { Metadata } from "../primitives/metadata.ts";
import type { Owner } from "../primitives/owner.ts";
import type { ChargeStatus } from "./charge.ts";
import type { IdRange, SearchedFacts } from "./charge-search.ts";

/** Up to which charge the search knows. */
export async function readSearchedTo(read: Sql, owner: Owner): Promise<string> {
  const [row] = await read<{ searched_to: string }>`
    select searched_to
      from charge_search_progress
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode}
  `;
  return row?.searched_to ?? lowest;
}

/** Blocks within the page's bounds that have a word of each group, in the order of the page. */
export async function findBlocks(
  read: Sql,
  owner: Owner,
  groups: readonly (readonly string[])[],
  { below, from, upwards, limit }: Page,
): Promise<IdRange[]> {
  const having = groups.reduce<Fragment>(
    // Asked so that the planner does not see which words they are: of frequent ones it would think that reading every
    // block is cheaper than the index, and does not know what it costs to unpack the words of one.
    (before, words) => fragment`${before} and words && (select ${words}::bigint[])`,
    fragment``,
  );
  // By their words, all of them: in the hope that the first are near, the planner would read every block's words.
  const rows = await read<{ first_id: string; last_id: string }>`
    with having_words as materialized (
      select first_id, last_id
        from charge_search
       where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode}
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

/** Merchants with so many charges, of before the uuid, that the search does not know yet. */
export async function listUnsearched(read: Sql, before: string, atLeast: number): Promise<Owner[]> {
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

/** Takes the merchant's place in the search, so that nobody else goes on from it; answers where that is. */
export async function lockSearchedTo(tx: Tx, owner: Owner): Promise<string> {
  const account = uuidOf(owner.account);
  await tx`
    insert into charge_search_progress (account_id, livemode, searched_to)
    values (${account}, ${owner.livemode}, ${lowest})
        on conflict do nothing
  `;
  const [row] = await tx<{ searched_to: string }>`
    select searched_to
      from charge_search_progress
     where account_id = ${account} and livemode = ${owner.livemode}
       for update
  `;
  return (row as { searched_to: string }).searched_to;
}

/** The next charges that the search does not know, as far as they are searched. */
export async function readUnsearched(
  tx: Tx,
  owner: Owner,
  after: string,
  before: string,
  limit: number,
): Promise<(SearchedFacts & { readonly uuid: string })[]> {
  const rows = await tx<SearchedRow>`
    select id, status, amount, currency, card->>'brand' as brand, card->>'last4' as last4, payment_method_id,
           customer_id, metadata, decision_facts->>'email' as email
      from charges
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode}
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
  last4: string;
  payment_method_id: string;
  customer_id: string | null;
  metadata: Metadata;
  email: string | null;
};

/** A block and the words of its charges, hashed. */
export type Block = IdRange & { readonly words: readonly string[] };

/** Enters blocks that follow one another, and notes how far the search has come. */
export async function insertBlocks(tx: Tx, owner: Owner, blocks: readonly Block[]): Promise<void> {
  const account = uuidOf(owner.account);
  const entered = rowsOf({
    first_id: uuids(blocks, ({ first }) => first),
    last_id: uuids(blocks, ({ last }) => last),
    words: texts(blocks, ({ words }) => column(words, (word) => word)),
  });
  await tx`
    insert into charge_search (account_id, livemode, first_id, last_id, words)
    select ${account}, ${owner.livemode}, first_id, last_id, words::bigint[]
      from ${entered} as block
  `;
  await tx`
    update charge_search_progress
       set searched_to = ${blocks.at(-1)?.last}
     where account_id = ${account} and livemode = ${owner.livemode}
  `;
}

/**
 * Enters the words of a charge that has got new ones, or came late, for its block or the one before it, if the search
 * has passed it already. Whoever enters blocks waits for this transaction, or this one for it: a word cannot fall
 * between the two.
 */
export async function amendBlock(
  tx: Tx,
  owner: Owner,
  id: ChargeId,
  words: readonly string[],
): Promise<void> {
  const account = uuidOf(owner.account);
  await tx`
    select from charge_search_progress
     where account_id = ${account} and livemode = ${owner.livemode}
       for share
  `;
  await tx`
    insert into charge_search (account_id, livemode, first_id, last_id, amends, words)
    select s.account_id, s.livemode, s.first_id, greatest(s.last_id, ${uuidOf(id)}), ${uuidOf(id)}, ${words}::bigint[]
      from charge_search s
      join charge_search_progress p
        on p.account_id = s.account_id and p.livemode = s.livemode and p.searched_to >= ${uuidOf(id)}
     where s.account_id = ${account} and s.livemode = ${owner.livemode} and s.amends = ${lowest}
       and s.first_id <= ${uuidOf(id)}
     order by s.first_id desc
     limit 1
        on conflict (account_id, livemode, first_id, amends)
        do update set words = charge_search.words || excluded.words
  `;
}
