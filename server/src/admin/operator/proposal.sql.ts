import type { ProposalKind, ProposalStatus } from "@florin/contract/operator.ts";
import {
  type AccountId,
  type ConnectionId,
  type Id,
  idFromUuid,
  type PersonId,
  uuidOf,
} from "../../core/ids.ts";
import { type Fragment, fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import type { SensitiveAction } from "./sensitive-action.ts";

export type ProposalId = Id<"prop">;

export type Proposal = {
  readonly id: ProposalId;
  readonly action: SensitiveAction;
  readonly account: AccountId | null;
  readonly reason: string;
  /** The encrypted secrets that the change stores. Erased when the proposal ends. */
  readonly secrets: Buffer | null;
  /** The number of times that an operator entered an HMAC key other than the proposed one. */
  readonly wrongKeys: number;
  readonly status: ProposalStatus;
  readonly proposedBy: PersonId;
  readonly expiresAt: Date;
  readonly decidedBy: PersonId | null;
  readonly decidedAt: Date | null;
};

/**
 * The number of wrong keys after which a proposal can no longer be confirmed. It is high enough for typing errors, and
 * too low for guessing the proposed key.
 */
export const maxWrongKeys = 5;

type ProposalRow = {
  id: string;
  kind: ProposalKind;
  account_id: string | null;
  details: object;
  reason: string;
  secrets: Buffer | null;
  wrong_keys: number;
  status: ProposalStatus;
  proposed_by: string;
  expires_at: Date;
  decided_by: string | null;
  decided_at: Date | null;
};

export async function insertProposal(
  tx: Tx,
  { id, action, account, reason, secrets, proposedBy, expiresAt }: Proposal,
): Promise<void> {
  const { kind, ...details } = action;
  await tx`
    insert into operator_proposals (
      id, kind, account_id, details, reason, secrets, status, proposed_by, expires_at
    ) values (
      ${uuidOf(id)}, ${kind}, ${account && uuidOf(account)}, ${JSON.stringify(details)}, ${reason}, ${secrets}, 'pending',
      ${uuidOf(proposedBy)}, ${expiresAt}
    )
  `;
}

export async function countPendingProposals(read: Sql): Promise<number> {
  const [row] = await read<{ count: number }>`
    select count(*) as count from operator_proposals where status = 'pending'
  `;
  return row?.count ?? 0;
}

/**
 * Locks the proposal and returns its secrets. Call it before `confirmProposal`, which erases them.
 */
export async function lockProposedSecrets(tx: Tx, id: ProposalId): Promise<Buffer | null> {
  const [row] = await tx<Pick<ProposalRow, "secrets">>`
    select secrets from operator_proposals where id = ${uuidOf(id)} for update
  `;
  return row?.secrets ?? null;
}

/**
 * Counts a key that differs from the proposed key. Returns the number of such keys, or null if the operator cannot
 * confirm the proposal any more, for example because concurrent requests have reached the limit.
 */
export async function countWrongKey(
  tx: Tx,
  id: ProposalId,
  by: PersonId,
  now: Date,
): Promise<number | null> {
  const [row] = await tx<Pick<ProposalRow, "wrong_keys">>`
    update operator_proposals
       set wrong_keys = wrong_keys + 1
     where ${canBeConfirmed(id, by, now)}
    returning wrong_keys
  `;
  return row?.wrong_keys ?? null;
}

/**
 * Confirms a pending proposal as a second operator. The proposal must not have expired or reached the limit of wrong
 * keys, and its proposer must still be an operator. `keyMatched` is true if the operator has entered the proposed HMAC
 * key. If it is false, a constraint of the table rejects the confirmation of new secrets. Returns null if the proposal
 * cannot be confirmed, for example because a concurrent request has confirmed it.
 */
export async function confirmProposal(
  tx: Tx,
  id: ProposalId,
  { by, keyMatched, now }: { by: PersonId; keyMatched: boolean; now: Date },
): Promise<Proposal | null> {
  const [row] = await tx<ProposalRow>`
    update operator_proposals p
       set status = 'confirmed', secrets = null, key_matched = ${keyMatched},
           decided_by = ${uuidOf(by)}, decided_at = ${now}
     where ${canBeConfirmed(id, by, now)}
       and exists (select from people o where o.id = p.proposed_by and o.operator)
    returning *
  `;
  return row ? toProposal(row) : null;
}

/** Selects the proposal if this operator may confirm it. */
function canBeConfirmed(id: ProposalId, by: PersonId, now: Date): Fragment {
  return fragment`id = ${uuidOf(id)} and status = 'pending' and expires_at > ${now} and proposed_by <> ${uuidOf(by)}
       and wrong_keys < ${maxWrongKeys}`;
}

/**
 * Ends a pending proposal without performing it. The status is `withdrawn` if its proposer ends it, and `rejected` if
 * another operator does.
 */
export async function dismissProposal(
  tx: Tx,
  id: ProposalId,
  by: PersonId,
  now: Date,
): Promise<Proposal | null> {
  const [row] = await tx<ProposalRow>`
    update operator_proposals
       set status = case when proposed_by = ${uuidOf(by)} then 'withdrawn' else 'rejected' end,
           secrets = null, decided_by = ${uuidOf(by)}, decided_at = ${now}
     where id = ${uuidOf(id)} and status = 'pending' and expires_at > ${now}
    returning *
  `;
  return row ? toProposal(row) : null;
}

/** Expires one overdue proposal. Returns null when there is none. */
export async function expireProposal(tx: Tx, now: Date): Promise<Proposal | null> {
  const [row] = await tx<ProposalRow>`
    update operator_proposals
       set status = 'expired', secrets = null, decided_at = ${now}
     where id = (select id from operator_proposals
                  where status = 'pending' and expires_at <= ${now}
                  order by expires_at limit 1 for update skip locked)
       and status = 'pending'
    returning *
  `;
  return row ? toProposal(row) : null;
}

/** Ends a pending proposal that can no longer be confirmed. Returns null if the proposal is no longer pending. */
export async function endObsoleteProposal(
  tx: Tx,
  id: ProposalId,
  now: Date,
): Promise<Proposal | null> {
  const [row] = await tx<ProposalRow>`
    update operator_proposals
       set status = 'obsolete', secrets = null, decided_at = ${now}
     where id = ${uuidOf(id)} and status = 'pending' and expires_at > ${now}
    returning *
  `;
  return row ? toProposal(row) : null;
}

export async function listPendingProposals(read: Sql): Promise<Proposal[]> {
  const rows = await read<ProposalRow>`
    select * from operator_proposals where status = 'pending' order by expires_at
  `;
  return rows.map(toProposal);
}

export async function readProposal(read: Sql, id: ProposalId): Promise<Proposal | null> {
  const [row] = await read<ProposalRow>`select * from operator_proposals where id = ${uuidOf(id)}`;
  return row ? toProposal(row) : null;
}

/** Returns pending proposals first, then all others, each group newest first. */
export async function listProposals(read: Sql, limit: number): Promise<Proposal[]> {
  const rows = await read<ProposalRow>`
    select * from operator_proposals order by (status = 'pending') desc, id desc limit ${limit}
  `;
  return rows.map(toProposal);
}

function toProposal(row: ProposalRow): Proposal {
  return {
    id: idFromUuid("prop", row.id),
    action: { kind: row.kind, ...row.details } as SensitiveAction,
    account: row.account_id && idFromUuid("acct", row.account_id),
    reason: row.reason,
    secrets: row.secrets,
    wrongKeys: row.wrong_keys,
    status: row.status,
    proposedBy: idFromUuid("per", row.proposed_by),
    expiresAt: row.expires_at,
    decidedBy: row.decided_by && idFromUuid("per", row.decided_by),
    decidedAt: row.decided_at,
  } as Proposal;
}

/** The encrypted secrets of a pending proposal, and the connection that they are for. */
export type ProposedSecrets = {
  readonly id: ProposalId;
  readonly connection: ConnectionId;
  readonly ciphertext: Buffer;
};

/** Returns up to `limit` secrets of pending proposals whose ciphertext does not begin with `beginning`. */
export async function readProposedSecretsWithout(
  read: Sql,
  beginning: Buffer,
  limit: number,
): Promise<ProposedSecrets[]> {
  const rows = await read<{ id: string; connection: ConnectionId; ciphertext: Buffer }>`
    select id, details ->> 'connection' as connection, secrets as ciphertext
      from operator_proposals
     where status = 'pending' and substr(secrets, 1, ${beginning.length}) <> ${beginning}
     limit ${limit}
  `;
  return rows.map(({ id, ...row }) => ({ id: idFromUuid("prop", id), ...row }));
}

/** Replaces the encrypted secrets of a proposal, if the row still contains the ciphertext that was read. */
export async function replaceProposedSecrets(
  tx: Tx,
  { id, ciphertext }: ProposedSecrets,
  rewrapped: Buffer,
): Promise<void> {
  await tx`
    update operator_proposals set secrets = ${rewrapped} where id = ${uuidOf(id)} and secrets = ${ciphertext}
  `;
}

/** The time for which decided proposals are kept and listed. Their entries in the audit log remain. */
export const proposalLifeMs = 400 * 24 * 60 * 60 * 1000;

/** Deletes up to `limit` decided proposals with an ID below `before`. Returns the number deleted. */
export async function deleteOldProposals(tx: Tx, before: string, limit: number): Promise<number> {
  const rows = await tx`
    delete from operator_proposals
     where id in (
       select id from operator_proposals where id < ${before} and status <> 'pending' order by id limit ${limit}
     )
    returning id
  `;
  return rows.length;
}
