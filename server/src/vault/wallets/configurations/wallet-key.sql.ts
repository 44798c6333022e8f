import type { WalletKeyPurpose, WalletKeyStatus } from "@florin/contract/operator-wallets.ts";
import type { DigitalWallet } from "@florin/contract/payment-method.ts";
import { type AccountId, idFromUuid, uuidOf, type WalletKeyId } from "../../../core/ids.ts";
import type { Sql, Tx } from "../../../platform/database/sql.ts";
import type { WalletKey } from "./wallet-key.ts";

type KeyRow = {
  account_id: string;
  id: string;
  wallet: DigitalWallet;
  purpose: WalletKeyPurpose;
  status: WalletKeyStatus;
  public_key: Buffer;
  certificate: Buffer | null;
  certificate_expires_at: Date | null;
  promoted_at: Date | null;
  expires_at: Date | null;
  version: number;
};

/** Returns the account's keys for all wallets, newest first. */
export async function listKeys(read: Sql, account: AccountId): Promise<WalletKey[]> {
  const rows = await read<KeyRow>`
    select account_id, id, wallet, purpose, status, public_key, certificate, certificate_expires_at, promoted_at,
           expires_at, version
      from wallet_keys
     where account_id = ${uuidOf(account)}
     order by id desc
  `;
  return rows.map(toKey);
}

/** Returns the encrypted private key, or null if the account has no such key. */
export async function readPrivateKey(
  read: Sql,
  account: AccountId,
  id: WalletKeyId,
): Promise<Buffer | null> {
  const [row] = await read<{ private_key: Buffer }>`
    select private_key from wallet_keys where account_id = ${uuidOf(account)} and id = ${uuidOf(id)}
  `;
  return row?.private_key ?? null;
}

/** Inserts a pending key. Returns false if the account already has a pending key for this purpose and wallet. */
export async function insertKey(tx: Tx, key: WalletKey, encrypted: Buffer): Promise<boolean> {
  const rows = await tx`
    insert into wallet_keys (account_id, id, wallet, purpose, status, public_key, private_key)
    values (
      ${uuidOf(key.account)}, ${uuidOf(key.id)}, ${key.wallet}, ${key.purpose}, ${key.status}, ${key.publicKey},
      ${encrypted}
    )
    on conflict (account_id, wallet, purpose) where status = 'pending' do nothing
    returning id
  `;
  return rows.length === 1;
}

/** Replaces the key if its stored version is still that of `before`. Returns false if it has changed. */
export async function updateKey(tx: Tx, before: WalletKey, after: WalletKey): Promise<boolean> {
  const rows = await tx`
    update wallet_keys
       set status = ${after.status}, certificate = ${after.certificate?.der ?? null},
           certificate_expires_at = ${after.certificate?.expiresAt ?? null},
           promoted_at = ${after.status === "pending" ? null : after.promotedAt},
           expires_at = ${after.status === "previous" ? after.expiresAt : null}, version = version + 1
     where account_id = ${uuidOf(before.account)} and id = ${uuidOf(before.id)} and version = ${before.version}
    returning id
  `;
  return rows.length === 1;
}

/** Deletes the key if its stored version is unchanged. Returns false if it has changed. */
export async function deleteKey(
  tx: Tx,
  { account, id, version }: Pick<WalletKey, "account" | "id" | "version">,
): Promise<boolean> {
  const rows = await tx`
    delete from wallet_keys
     where account_id = ${uuidOf(account)} and id = ${uuidOf(id)} and version = ${version}
    returning id
  `;
  return rows.length === 1;
}

/** Returns the expired previous keys of all accounts, the earliest expiry first. */
export async function listExpiredKeys(read: Sql, now: Date, limit: number): Promise<WalletKey[]> {
  const rows = await read<KeyRow>`
    select account_id, id, wallet, purpose, status, public_key, certificate, certificate_expires_at, promoted_at,
           expires_at, version
      from wallet_keys
     where status = 'previous' and expires_at <= ${now}
     order by expires_at
     limit ${limit}
  `;
  return rows.map(toKey);
}

/** An encrypted private key, with the fields that the rotation of the vault's keys needs to replace it. */
export type StoredPrivateKey = {
  readonly account: AccountId;
  readonly id: WalletKeyId;
  readonly ciphertext: Buffer;
};

/** Returns private keys of all accounts whose ciphertext does not start with these bytes. */
export async function readPrivateKeysWithout(
  read: Sql,
  beginning: Buffer,
  limit: number,
): Promise<StoredPrivateKey[]> {
  const rows = await read<{ account_id: string; id: string; private_key: Buffer }>`
    select account_id, id, private_key
      from wallet_keys
     where substr(private_key, 1, ${beginning.length}) <> ${beginning}
     limit ${limit}
  `;
  return rows.map((row) => ({
    account: idFromUuid("acct", row.account_id),
    id: idFromUuid("wk", row.id),
    ciphertext: row.private_key,
  }));
}

/** Replaces an encrypted private key, if the row still contains the ciphertext that was read. */
export async function replacePrivateKey(
  tx: Tx,
  { account, id, ciphertext }: StoredPrivateKey,
  rewrapped: Buffer,
): Promise<void> {
  await tx`
    update wallet_keys
       set private_key = ${rewrapped}
     where account_id = ${uuidOf(account)} and id = ${uuidOf(id)} and private_key = ${ciphertext}
  `;
}

function toKey(row: KeyRow): WalletKey {
  const facts = {
    id: idFromUuid("wk", row.id),
    account: idFromUuid("acct", row.account_id),
    wallet: row.wallet,
    purpose: row.purpose,
    publicKey: row.public_key,
    certificate: row.certificate && {
      der: row.certificate,
      expiresAt: row.certificate_expires_at as Date,
    },
    version: row.version,
  };
  const promotedAt = row.promoted_at as Date;
  switch (row.status) {
    case "pending":
      return { ...facts, status: row.status };
    case "current":
      return { ...facts, status: row.status, promotedAt };
    case "previous":
      return { ...facts, status: row.status, promotedAt, expiresAt: row.expires_at as Date };
  }
}
