import type { AccountStatus } from "@florin/contract/account.ts";
import type { Membership } from "@florin/contract/person.ts";
import type { Role } from "@florin/contract/roles.ts";
import {
  type AccountId,
  idFromUuid,
  type MemberId,
  type PersonId,
  uuidOf,
} from "../../core/ids.ts";
import { fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import { type Page, pageRows } from "../../platform/http/list.ts";
import type { KnownMember, Member } from "./member.ts";

export async function insertMember(tx: Tx, member: Member): Promise<void> {
  await tx`
    insert into members (account_id, id, person_id, role)
    values (${uuidOf(member.account)}, ${uuidOf(member.id)}, ${uuidOf(member.person)}, ${member.role})
  `;
}

/** Returns the person's membership in this team, or null. */
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

/** Returns the accounts of a person, oldest first. Has no account filter, because the result spans accounts. */
export async function readMembershipsOf(read: Sql, person: PersonId): Promise<Membership[]> {
  const rows = await read<{
    id: string;
    name: string;
    country: string;
    status: AccountStatus;
    time_zone: string | null;
    role: Role;
  }>`
    select a.id, a.name, a.country, a.status, a.time_zone, m.role
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

type KnownRow = {
  id: string;
  account_id: string;
  person_id: string;
  role: Role;
  name: string;
  email: string;
  has_second_factor: boolean;
  last_seen_at: Date | null;
};

const knownMembers = fragment`
  select *
    from (select m.id, m.account_id, m.person_id, m.role, p.name, p.email,
                 exists (select 1 from passkeys k where k.person_id = p.id)
                   or exists (select 1 from totp_secrets t where t.person_id = p.id and t.confirmed_at is not null)
                   as has_second_factor,
                 (select max(s.last_seen_at) from sessions s where s.person_id = p.id) as last_seen_at
            from members m
            join people p on p.id = m.person_id) known
`;

function toKnownMember(row: KnownRow): KnownMember {
  return {
    id: idFromUuid("mem", row.id),
    account: idFromUuid("acct", row.account_id),
    person: idFromUuid("per", row.person_id),
    role: row.role,
    name: row.name,
    email: row.email,
    hasSecondFactor: row.has_second_factor,
    lastSeenAt: row.last_seen_at,
  };
}

export async function listMembers(
  read: Sql,
  account: AccountId,
  page: Page,
): Promise<KnownMember[]> {
  const rows = await read<KnownRow>`
    ${knownMembers} where account_id = ${uuidOf(account)} ${pageRows(page)}
  `;
  return rows.map(toKnownMember);
}

export async function readMember(
  read: Sql,
  account: AccountId,
  id: MemberId,
): Promise<KnownMember | null> {
  const [row] = await read<KnownRow>`
    ${knownMembers} where account_id = ${uuidOf(account)} and id = ${uuidOf(id)}
  `;
  return row ? toKnownMember(row) : null;
}

/**
 * Locks the membership, so that it cannot change before the transaction ends, and so that concurrent refunds check this
 * person's limit one after another.
 */
export async function lockMemberOf(tx: Tx, account: AccountId, person: PersonId): Promise<void> {
  await tx`
    select 1 from members where account_id = ${uuidOf(account)} and person_id = ${uuidOf(person)}
       for no key update
  `;
}

/** Locks the whole team, so that two owners cannot remove each other concurrently and leave no owner. */
export async function lockTeam(tx: Tx, account: AccountId): Promise<Member[]> {
  const rows = await tx<{ id: string; person_id: string; role: Role }>`
    select id, person_id, role
      from members
     where account_id = ${uuidOf(account)}
     order by id
       for update
  `;
  return rows.map(({ id, person_id, role }) => ({
    id: idFromUuid("mem", id),
    account,
    person: idFromUuid("per", person_id),
    role,
  }));
}

export async function updateMemberRole(tx: Tx, { account, id, role }: Member): Promise<void> {
  await tx`
    update members set role = ${role} where account_id = ${uuidOf(account)} and id = ${uuidOf(id)}
  `;
}

export async function deleteMember(tx: Tx, { account, id }: Member): Promise<void> {
  await tx`delete from members where account_id = ${uuidOf(account)} and id = ${uuidOf(id)}`;
}

/** Returns the email addresses of the team members with one of these roles who have not turned off the topic. */
export async function readEmailsOf(
  read: Sql,
  account: AccountId,
  among: readonly Role[],
  about: { readonly topic: string; readonly livemode: boolean | null } | null,
): Promise<string[]> {
  const rows = await read<{ email: string }>`
    select p.email
      from members m
      join people p on p.id = m.person_id
     where m.account_id = ${uuidOf(account)} and m.role = any(${among}::text[])
       and not exists (
         select from notification_preferences n
          where n.account_id = m.account_id and n.person_id = m.person_id
            and n.livemode = coalesce(${about?.livemode ?? null}, n.livemode)
            and ${about?.topic ?? null} = any(n.muted)
       )
     order by p.email
  `;
  return rows.map(({ email }) => email);
}
