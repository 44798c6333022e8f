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
