import { idFromUuid, type PaymentMethodId, uuidOf } from "../core/ids.ts";
import type { Scope } from "../core/scope.ts";
import {
  booleans,
  byteas,
  integers,
  keysOf,
  rowsOf,
  texts,
  uuids,
} from "../platform/database/array-parameter.ts";
import type { Sql, Tx } from "../platform/database/sql.ts";
import type { EncryptedData } from "./envelope-encryption.ts";
import type { WrappedKey } from "./key-provider.ts";

type CardRow = { key_id: string; wrapped_key: Buffer; ciphertext: Buffer };

export async function insertCard(
  tx: Tx,
  scope: Scope,
  id: PaymentMethodId,
  { keyId, wrapped, ciphertext }: EncryptedData,
): Promise<void> {
  await tx`
    insert into vault_cards (account_id, livemode, id, key_id, wrapped_key, ciphertext)
    values (${uuidOf(scope.account)}, ${scope.livemode}, ${uuidOf(id)}, ${keyId}, ${wrapped}, ${ciphertext})
  `;
}

export type CardKey = { readonly scope: Scope; readonly id: PaymentMethodId };

/** Reads many cards in one statement. Returns null for each missing card. */
export async function readCards(
  read: Sql,
  keys: readonly CardKey[],
): Promise<(EncryptedData | null)[]> {
  const requested = keysOf({
    account_id: uuids(keys, ({ scope }) => scope.account),
    livemode: booleans(keys, ({ scope }) => scope.livemode),
    id: uuids(keys, ({ id }) => id),
    place: integers(keys, (_, index) => index),
  });
  const rows = await read<CardRow & { place: number }>`
    select requested.place, v.key_id, v.wrapped_key, v.ciphertext
      from ${requested} as requested
      join vault_cards v
        on v.account_id = requested.account_id and v.livemode = requested.livemode and v.id = requested.id
  `;
  const cards: (EncryptedData | null)[] = keys.map(() => null);
  for (const { place, key_id: keyId, wrapped_key: wrapped, ciphertext } of rows) {
    cards[place] = { keyId, wrapped, ciphertext };
  }
  return cards;
}

export async function deleteCard(tx: Tx, scope: Scope, id: PaymentMethodId): Promise<void> {
  await tx`
    delete from vault_cards
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
  `;
}

/** Schedules a card for deletion once no charge needs it. */
export async function requestErasure(
  tx: Tx,
  scope: Scope,
  id: PaymentMethodId,
  now: Date,
): Promise<void> {
  await tx`
    update vault_cards
       set erase_requested_at = ${now}
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
  `;
}

/**
 * The content of a stored row: a card, or the payer of a wallet's token, which contains no card number. Each has its
 * own purpose, so that code that needs a card number cannot decrypt a payer. A process of an older version knows only
 * cards, so it also rejects a payment method with a stored payer.
 */
export type StoredPurpose = "card" | "payer";

export type CardToRewrap = {
  readonly scope: Scope;
  readonly id: PaymentMethodId;
  readonly purpose: StoredPurpose;
  readonly old: WrappedKey;
};

/**
 * Reads a page of a mode's cards whose data keys are wrapped under a key other than the given one, in primary key
 * order.
 */
export async function readCardsUnderOtherKeys(
  sql: Sql,
  livemode: boolean,
  currentKeyId: string,
  after: CardToRewrap | null,
  limit: number,
): Promise<CardToRewrap[]> {
  const nil = "00000000-0000-0000-0000-000000000000";
  type Row = CardRow & { account_id: string; id: string; purpose: StoredPurpose };
  // Only the payment method of a wallet's token that an acquirer decrypts has an assignment.
  const rows = await sql<Omit<Row, "ciphertext">>`
    select account_id, id, key_id, wrapped_key,
           case when exists (
             select from payment_methods p
              where p.account_id = v.account_id and p.livemode = v.livemode and p.id = v.id
                and p.assignment_id is not null
           ) then 'payer' else 'card' end as purpose
      from vault_cards v
     where livemode = ${livemode} and key_id <> ${currentKeyId}
       and (account_id, livemode, id) > (${after ? uuidOf(after.scope.account) : nil}::uuid, ${livemode},
                                         ${after ? uuidOf(after.id) : nil}::uuid)
     order by account_id, livemode, id
     limit ${limit}
  `;
  return rows.map((row) => ({
    scope: { account: idFromUuid("acct", row.account_id), livemode },
    id: idFromUuid("pm", row.id),
    purpose: row.purpose,
    old: { keyId: row.key_id, wrapped: row.wrapped_key },
  }));
}

/**
 * Replaces the wrapped data keys. Skips cards that were deleted or rewrapped since they were read. Returns the number
 * replaced.
 */
export async function replaceWrappings(
  tx: Tx,
  rewrapped: readonly (CardToRewrap & { readonly new: WrappedKey })[],
): Promise<number> {
  const input = rowsOf({
    account_id: uuids(rewrapped, (card) => card.scope.account),
    livemode: booleans(rewrapped, (card) => card.scope.livemode),
    id: uuids(rewrapped, (card) => card.id),
    old_wrapped_key: byteas(rewrapped, (card) => card.old.wrapped),
    key_id: texts(rewrapped, (card) => card.new.keyId),
    wrapped_key: byteas(rewrapped, (card) => card.new.wrapped),
  });
  const rows = await tx`
    update vault_cards
       set key_id = input.key_id, wrapped_key = input.wrapped_key
      from ${input} as input
     where vault_cards.account_id = input.account_id
       and vault_cards.livemode = input.livemode
       and vault_cards.id = input.id
       and vault_cards.wrapped_key = input.old_wrapped_key
    returning vault_cards.id
  `;
  return rows.length;
}
