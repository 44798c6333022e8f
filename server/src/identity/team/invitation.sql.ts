import type { Role } from "@florin/contract/roles.ts";
import {
  type AccountId,
  type InvitationId,
  idFromUuid,
  type PersonId,
  uuidOf,
} from "../../core/ids.ts";
import { fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import { type Page, pageRows } from "../../platform/http/list.ts";
import type { Invitation } from "./invitation.ts";

type InvitationRow = {
  account_id: string;
  id: string;
  email: string;
  role: Role;
  invited_by: string;
  expires_at: Date;
  accepted_at: Date | null;
  revoked_at: Date | null;
};

const columns = fragment`account_id, id, email, role, invited_by, expires_at, accepted_at, revoked_at`;

function toInvitation(row: InvitationRow): Invitation {
  return {
    id: idFromUuid("inv", row.id),
    account: idFromUuid("acct", row.account_id),
    email: row.email,
    role: row.role,
    invitedBy: idFromUuid("per", row.invited_by),
    expiresAt: row.expires_at,
    acceptedAt: row.accepted_at,
    revokedAt: row.revoked_at,
  };
}

export async function insertInvitation(
  tx: Tx,
  invitation: Invitation,
  tokenHash: Buffer,
): Promise<void> {
  await tx`
    insert into invitations (account_id, id, email, role, invited_by, token_hash, expires_at)
    values (${uuidOf(invitation.account)}, ${uuidOf(invitation.id)}, ${invitation.email}, ${invitation.role},
            ${uuidOf(invitation.invitedBy)}, ${tokenHash}, ${invitation.expiresAt})
  `;
}

/** Revokes the open invitations to an email address. */
export async function revokeInvitationsOf(
  tx: Tx,
  account: AccountId,
  email: string,
  at: Date,
): Promise<void> {
  await tx`
    update invitations
       set revoked_at = ${at}
     where account_id = ${uuidOf(account)} and lower(email) = lower(${email})
       and accepted_at is null and revoked_at is null
  `;
}

/** Revokes the open invitations that this person sent. */
export async function revokeInvitationsBy(
  tx: Tx,
  account: AccountId,
  person: PersonId,
  at: Date,
): Promise<void> {
  await tx`
    update invitations
       set revoked_at = ${at}
     where account_id = ${uuidOf(account)} and invited_by = ${uuidOf(person)}
       and accepted_at is null and revoked_at is null
  `;
}

/** Revokes an open invitation. Returns null if the invitation does not exist or is not open. */
export async function revokeInvitation(
  tx: Tx,
  account: AccountId,
  id: InvitationId,
  at: Date,
): Promise<Invitation | null> {
  const [row] = await tx<InvitationRow>`
    update invitations
       set revoked_at = ${at}
     where account_id = ${uuidOf(account)} and id = ${uuidOf(id)}
       and accepted_at is null and revoked_at is null
    returning ${columns}
  `;
  return row ? toInvitation(row) : null;
}

export async function readInvitation(
  read: Sql,
  account: AccountId,
  id: InvitationId,
): Promise<Invitation | null> {
  const [row] = await read<InvitationRow>`
    select ${columns} from invitations where account_id = ${uuidOf(account)} and id = ${uuidOf(id)}
  `;
  return row ? toInvitation(row) : null;
}

export async function listInvitations(
  read: Sql,
  account: AccountId,
  page: Page,
): Promise<Invitation[]> {
  const rows = await read<InvitationRow>`
    select ${columns} from invitations where account_id = ${uuidOf(account)} ${pageRows(page)}
  `;
  return rows.map(toInvitation);
}

/** Returns whether a person with this address is in the team. */
export async function isMember(read: Sql, account: AccountId, email: string): Promise<boolean> {
  const rows = await read`
    select 1
      from members m
      join people p on p.id = m.person_id
     where m.account_id = ${uuidOf(account)} and lower(p.email) = lower(${email})
  `;
  return rows.length > 0;
}

export type OpenInvitation = Invitation & {
  readonly accountName: string;
  readonly inviterName: string;
  readonly isKnown: boolean;
};

/** Returns the open invitation of a link. Has no account filter, because the link identifies the account. */
export async function readInvitationByToken(
  read: Sql,
  tokenHash: Buffer,
  now: Date,
): Promise<OpenInvitation | null> {
  const [row] = await read<
    InvitationRow & { account_name: string; inviter_name: string; is_known: boolean }
  >`
    select i.account_id, i.id, i.email, i.role, i.invited_by, i.expires_at, i.accepted_at, i.revoked_at,
           a.name as account_name, p.name as inviter_name,
           exists (select 1 from people k where lower(k.email) = lower(i.email)) as is_known
      from invitations i
      join accounts a on a.id = i.account_id
      join people p on p.id = i.invited_by
     where i.token_hash = ${tokenHash} and i.accepted_at is null and i.revoked_at is null
       and i.expires_at > ${now}
  `;
  if (!row) return null;
  return {
    ...toInvitation(row),
    accountName: row.account_name,
    inviterName: row.inviter_name,
    isKnown: row.is_known,
  };
}

/** Accepts the invitation. Of two concurrent requests, only one succeeds. */
export async function takeInvitation(
  tx: Tx,
  tokenHash: Buffer,
  now: Date,
): Promise<Invitation | null> {
  const [row] = await tx<InvitationRow>`
    update invitations
       set accepted_at = ${now}
     where token_hash = ${tokenHash} and accepted_at is null and revoked_at is null and expires_at > ${now}
    returning ${columns}
  `;
  return row ? toInvitation(row) : null;
}

/** The time for which an invitation is kept after its link has expired. The audit log keeps its entries. */
export const invitationLifeMs = 30 * 24 * 60 * 60 * 1000;

/** Deletes up to `limit` invitations that expired before `before`. Returns the number deleted. */
export async function deleteOldInvitations(tx: Tx, before: Date, limit: number): Promise<number> {
  const rows = await tx`
    delete from invitations
     where id in (select id from invitations where expires_at < ${before} limit ${limit})
       and expires_at < ${before}
    returning id
  `;
  return rows.length;
}
