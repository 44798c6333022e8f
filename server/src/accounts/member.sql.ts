import type { AccountStatus } from "@florin/contract/account.ts";
import type { Membership } from "@florin/contract/person.ts";
import type { Role } from "@florin/contract/roles.ts";
import type { Sql, Tx } from "../database/sql.ts";
import { type AccountId, idFromUuid, type PersonId, uuidOf } from "../primitives/ids.ts";
import type { Member } from "./member.ts";

export async function insertMember(tx: Tx, member: Member): Promise<void> {
  await tx`
    insert into members (account_id, id, person_id, role)
    values (${uuidOf(member.account)}, ${uuidOf(member.id)}, ${uuidOf(member.person)}, ${member.role})
  `;
}

/** What the person is in this team; null when they are not in it. */
export async function readMemberOf(
  read: Sql,
  account: AccountId,
  person: PersonId,
): Promise<Member | null> {
  const [row] = await read<{ id: string; role: Role }>`
    select id, role
      from members
     where account_id = ${uuidOf(account)} and person_id = ${uuidOf(person)}
  `;
  return row ? { id: idFromUuid("mem", row.id), account, person, role: row.role } : null;
}

/** The merchants that the person works for, oldest first. It names no account: it is how a person finds theirs. */
export async function readMembershipsOf(read: Sql, person: PersonId): Promise<Membership[]> {
  const rows = await read<{
    id: string;
    name: string;
    country: string;
    status: AccountStatus;
    role: Role;
  }>`
    select a.id, a.name, a.country, a.status, m.role
      from members m
      join accounts a on a.id = m.account_id
     where m.person_id = ${uuidOf(person)}
     order by a.id
  `;
  return rows.map(({ id, role, ...account }) => ({
    account: { id: idFromUuid("acct", id), ...account },
    role,
  }));
}
