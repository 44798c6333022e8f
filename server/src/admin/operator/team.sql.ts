import { type AccountId, idFromUuid, type PersonId, uuidOf } from "../../core/ids.ts";
import type { Sql } from "../../platform/database/sql.ts";

/** Returns the email addresses of people. */
export async function readEmailAddresses(
  read: Sql,
  people: readonly PersonId[],
): Promise<ReadonlyMap<PersonId, string>> {
  if (people.length === 0) return new Map();
  const rows = await read<{ id: string; email: string }>`
    select id, email from people where id = any (${people.map(uuidOf)}::uuid[])
  `;
  return new Map(rows.map(({ id, email }) => [idFromUuid("per", id), email]));
}

export type TeamMember = {
  readonly id: PersonId;
  readonly name: string;
  readonly email: string;
  readonly role: string;
  readonly secondFactor: boolean;
};

/** Returns the members of an account, and whether each has a second factor. */
export async function listTeam(read: Sql, account: AccountId): Promise<TeamMember[]> {
  const rows = await read<{
    id: string;
    name: string;
    email: string;
    role: string;
    second_factor: boolean;
  }>`
    select p.id, p.name, p.email, m.role,
           exists (select 1 from totp_secrets t where t.person_id = p.id and t.confirmed_at is not null)
             or exists (select 1 from passkeys k where k.person_id = p.id) as second_factor
      from members m
      join people p on p.id = m.person_id
     where m.account_id = ${uuidOf(account)}
     order by m.id
  `;
  return rows.map((row) => ({
    id: idFromUuid("per", row.id),
    name: row.name,
    email: row.email,
    role: row.role,
    secondFactor: row.second_factor,
  }));
}
