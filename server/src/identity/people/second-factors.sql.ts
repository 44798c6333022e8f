import { type PersonId, uuidOf } from "../../core/ids.ts";
import type { Sql, Tx } from "../../platform/database/sql.ts";
import type { SecondFactors } from "./second-factors.ts";

/** Returns the person's second factors. */
export async function readSecondFactors(read: Sql, person: PersonId): Promise<SecondFactors> {
  const id = uuidOf(person);
  const [row] = await read<SecondFactors>`
    select exists (select 1 from totp_secrets where person_id = ${id} and confirmed_at is not null) as totp,
           (select count(*) from passkeys where person_id = ${id}) as passkeys,
           (select count(*) from recovery_codes where person_id = ${id} and used_at is null) as "recoveryCodesLeft"
  `;
  return row as SecondFactors;
}

/**
 * Deletes all second factors and sessions of the person, because a finder of a lost device may have started a session.
 */
export async function deleteSecondFactors(tx: Tx, person: PersonId): Promise<void> {
  const id = uuidOf(person);
  await tx`
    with totp as (delete from totp_secrets where person_id = ${id}),
         codes as (delete from recovery_codes where person_id = ${id}),
         keys as (delete from passkeys where person_id = ${id})
    delete from sessions where person_id = ${id}
  `;
}
