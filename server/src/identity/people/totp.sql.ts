import { idFromUuid, type PersonId, uuidOf } from "../../core/ids.ts";
import type { Sql, Tx } from "../../platform/database/sql.ts";

export type EncryptedTotp = { readonly ciphertext: Buffer; readonly confirmedAt: Date | null };

/**
 * Starts the enrollment with a new secret, which a code from the app must confirm. Returns false if a confirmed secret
 * exists.
 */
export async function upsertTotp(tx: Tx, person: PersonId, ciphertext: Buffer): Promise<boolean> {
  const rows = await tx`
    insert into totp_secrets (person_id, secret) values (${uuidOf(person)}, ${ciphertext})
    on conflict (person_id) do update
       set secret = excluded.secret, last_step = 0
     where totp_secrets.confirmed_at is null
    returning person_id
  `;
  return rows.length === 1;
}

export async function readTotp(read: Sql, person: PersonId): Promise<EncryptedTotp | null> {
  const [row] = await read<{ secret: Buffer; confirmed_at: Date | null }>`
    select secret, confirmed_at from totp_secrets where person_id = ${uuidOf(person)}
  `;
  return row ? { ciphertext: row.secret, confirmedAt: row.confirmed_at } : null;
}

/**
 * Marks a code and all earlier codes as used. Returns false if the code is already used, possibly by a concurrent
 * request.
 */
export async function takeTotpStep(tx: Tx, person: PersonId, step: number): Promise<boolean> {
  const rows = await tx`
    update totp_secrets set last_step = ${step}
     where person_id = ${uuidOf(person)} and confirmed_at is not null and last_step < ${step}
    returning person_id
  `;
  return rows.length === 1;
}

/** Confirms the secret with its first code, and marks that code as used. */
export async function confirmTotp(
  tx: Tx,
  person: PersonId,
  { ciphertext, step, at }: { ciphertext: Buffer; step: number; at: Date },
): Promise<boolean> {
  const rows = await tx`
    update totp_secrets set confirmed_at = ${at}, last_step = ${step}
     where person_id = ${uuidOf(person)} and confirmed_at is null and secret = ${ciphertext}
    returning person_id
  `;
  return rows.length === 1;
}

export type StoredTotp = { readonly person: PersonId; readonly ciphertext: Buffer };

/** Returns up to `limit` encrypted secrets that do not begin with these bytes. */
export async function readTotpWithout(
  read: Sql,
  beginning: Buffer,
  limit: number,
): Promise<StoredTotp[]> {
  const rows = await read<{ person_id: string; secret: Buffer }>`
    select person_id, secret
      from totp_secrets
     where substr(secret, 1, ${beginning.length}) <> ${beginning}
     limit ${limit}
  `;
  return rows.map((row) => ({ person: idFromUuid("per", row.person_id), ciphertext: row.secret }));
}

/** Replaces an encrypted secret, if the row still contains the ciphertext that was read. */
export async function replaceTotp(
  tx: Tx,
  { person, ciphertext }: StoredTotp,
  rewrapped: Buffer,
): Promise<void> {
  await tx`
    update totp_secrets set secret = ${rewrapped} where person_id = ${uuidOf(person)} and secret = ${ciphertext}
  `;
}

export async function deleteTotp(tx: Tx, person: PersonId): Promise<boolean> {
  const rows = await tx`
    delete from totp_secrets where person_id = ${uuidOf(person)} returning person_id
  `;
  return rows.length === 1;
}
