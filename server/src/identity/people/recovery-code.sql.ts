import { type PersonId, uuidOf } from "../../core/ids.ts";
import type { Tx } from "../../platform/database/sql.ts";

/** Replaces the recovery codes and invalidates all earlier ones. */
export async function replaceRecoveryCodes(
  tx: Tx,
  person: PersonId,
  hashes: readonly Buffer[],
): Promise<void> {
  await deleteRecoveryCodes(tx, person);
  await tx`
    insert into recovery_codes (person_id, hash)
    select ${uuidOf(person)}, hash from unnest(${hashes}::bytea[]) as hash
  `;
}

/** Marks a code as used. Returns false if the code does not exist or is already used. */
export async function takeRecoveryCode(
  tx: Tx,
  person: PersonId,
  hash: Buffer,
  at: Date,
): Promise<boolean> {
  const rows = await tx`
    update recovery_codes set used_at = ${at}
     where person_id = ${uuidOf(person)} and hash = ${hash} and used_at is null
    returning person_id
  `;
  return rows.length === 1;
}

export async function deleteRecoveryCodes(tx: Tx, person: PersonId): Promise<void> {
  await tx`delete from recovery_codes where person_id = ${uuidOf(person)}`;
}
