import type { DeclineCode } from "@florin/contract/declines.ts";
import type { RejectionReason } from "../../acquiring/outcome.ts";
import { type AssignmentId, idFromUuid, uuidOf } from "../../core/ids.ts";
import type { Sql, Tx } from "../../platform/database/sql.ts";
import type { ChargeKey } from "./charge.sql.ts";

/**
 * An attempt that certainly moved no money: the acquirer has not processed it, or has declined it. The charge was then
 * sent over another connection.
 */
export type FailedAttempt = {
  readonly assignmentId: AssignmentId;
  readonly outcome: "not_sent" | "rejected" | "declined";
  /** The reason of a rejection, or the decline code. Null if the request was not sent. */
  readonly reason: RejectionReason | DeclineCode | null;
  readonly acquirerErrorCode: string | null;
  readonly endedAt: Date;
};

/** Inserts a failed attempt. A charge has one for each connection that was tried before its current one. */
export async function insertAttempt(
  tx: Tx,
  { scope, id, card }: ChargeKey & { readonly card: { readonly fingerprint: string | null } },
  { assignmentId, outcome, reason, acquirerErrorCode, endedAt }: FailedAttempt,
): Promise<void> {
  // Only a declined attempt counts toward the declines of its card, which the networks limit.
  const fingerprint = outcome === "declined" ? card.fingerprint : null;
  await tx`
    insert into charge_attempts
      (account_id, livemode, charge_id, assignment_id, outcome, reason, acquirer_error_code, card_fingerprint, ended_at)
    values
      (${uuidOf(scope.account)}, ${scope.livemode}, ${uuidOf(id)}, ${uuidOf(assignmentId)}, ${outcome}, ${reason},
       ${acquirerErrorCode}, ${fingerprint}, ${endedAt})
  `;
}

/** Returns the failed attempts of a charge, oldest first. */
export async function listAttempts(
  read: Sql,
  { scope, id }: ChargeKey,
): Promise<readonly FailedAttempt[]> {
  const rows = await read<{
    assignment_id: string;
    outcome: FailedAttempt["outcome"];
    reason: FailedAttempt["reason"];
    acquirer_error_code: string | null;
    ended_at: Date;
  }>`
    select assignment_id, outcome, reason, acquirer_error_code, ended_at
      from charge_attempts
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and charge_id = ${uuidOf(id)}
     order by ended_at, assignment_id
  `;
  return rows.map((row) => ({
    assignmentId: idFromUuid("asg", row.assignment_id),
    outcome: row.outcome,
    reason: row.reason,
    acquirerErrorCode: row.acquirer_error_code,
    endedAt: row.ended_at,
  }));
}
