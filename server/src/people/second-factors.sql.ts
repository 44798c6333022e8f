import type { Sql } from "../database/sql.ts";
import { type PersonId, uuidOf } from "../primitives/ids.ts";
import type { SecondFactors } from "./second-factors.ts";

/** What the person has beside their password. */
export async function readSecondFactors(read: Sql, person: PersonId): Promise<SecondFactors> {
  const id = uuidOf(person);
  const [row] = await read<SecondFactors>`
    select exists (select 1 from totp_secrets where person_id = ${id} and confirmed_at is not null) as totp,
           (select count(*) from passkeys where person_id = ${id}) as passkeys,
           (select count(*) from recovery_codes where person_id = ${id} and used_at is null) as "recoveryCodesLeft"
  `;
  return row as SecondFactors;
}
