import type { EvidenceTexts } from "@florin/contract/evidence-fields.ts";
import { uuidOf } from "../../core/ids.ts";
import type { Sql, Tx } from "../../platform/database/sql.ts";
import type { Dispute } from "./dispute.ts";

/** Evidence that is stored and not yet submitted. */
export type EvidenceDraft = {
  readonly version: number;
  readonly evidence: EvidenceTexts;
  readonly updatedAt: Date;
};

/** The time after which an unchanged draft is deleted. Networks allow at most 45 days for a response. */
export const draftLifeMs = 90 * 24 * 60 * 60_000;

type DisputeKey = Pick<Dispute, "scope" | "id">;

export async function readDraft(
  read: Sql,
  { scope, id }: DisputeKey,
): Promise<EvidenceDraft | null> {
  const [row] = await read<{ version: number; evidence: EvidenceTexts; updated_at: Date }>`
    select version, evidence, updated_at
      from dispute_drafts
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and dispute_id = ${uuidOf(id)}
  `;
  return row ? { version: row.version, evidence: row.evidence, updatedAt: row.updated_at } : null;
}

/**
 * Stores a draft if its version is the stored version plus one. Returns false if another request has stored a draft
 * first.
 */
export async function writeDraft(
  tx: Tx,
  { scope, id }: DisputeKey,
  { version, evidence, updatedAt }: EvidenceDraft,
): Promise<boolean> {
  const text = JSON.stringify(evidence);
  const rows =
    version === 1
      ? await tx`
          insert into dispute_drafts (account_id, livemode, dispute_id, version, evidence, updated_at)
          values (${uuidOf(scope.account)}, ${scope.livemode}, ${uuidOf(id)}, 1, ${text}::jsonb, ${updatedAt})
              on conflict do nothing
          returning version`
      : await tx`
          update dispute_drafts
             set version = ${version}, evidence = ${text}::jsonb, updated_at = ${updatedAt}
           where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and dispute_id = ${uuidOf(id)}
             and version = ${version - 1}
          returning version`;
  return rows.length === 1;
}

/** Deletes the draft in the transaction that submits the evidence. */
export async function deleteDraft(tx: Tx, { scope, id }: DisputeKey): Promise<void> {
  await tx`
    delete from dispute_drafts
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and dispute_id = ${uuidOf(id)}
  `;
}

/** Deletes drafts that were last saved before the given time, for all accounts. Returns the number deleted. */
export async function deleteOldDrafts(tx: Tx, before: Date, limit: number): Promise<number> {
  const rows = await tx`
    delete from dispute_drafts
     where (account_id, livemode, dispute_id) in (
       select account_id, livemode, dispute_id from dispute_drafts where updated_at < ${before} limit ${limit}
     )
    returning dispute_id
  `;
  return rows.length;
}
