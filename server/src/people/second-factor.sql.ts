import type { Tx } from "../database/sql.ts";
import { type PersonId, uuidOf } from "../primitives/ids.ts";

/**
 * Takes away everything by which a person proves more than a password, and ends their sessions: what was opened with a
 * factor that somebody else may hold now must not go on.
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
