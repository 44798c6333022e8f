import type { RejectionReason } from "../../acquiring/outcome.ts";
import { type AssignmentId, idFromUuid, uuidOf } from "../../core/ids.ts";
import type { Sql, Tx } from "../../platform/database/sql.ts";
import type { ChargeKey } from "./charge.sql.ts";

/** An attempt that the acquirer certainly has not processed. The charge was then sent over another connection. */
export type FailedAttempt = {
  readonly assignmentId: AssignmentId;
  readonly outcome: "not_sent" | "rejected";
  /** The reason of a rejection. Null for a request that was not sent. */
  readonly reason: RejectionReason | null;
  readonly acquirerErrorCode: string | null;
  readonly endedAt: Date;
};

/** Inserts a failed attempt. A charge has one for each connection that did not process it. */
export async function insertAttempt(
  tx: Tx,
  { scope, id }: ChargeKey,
  { assignmentId, outcome, reason, acquirerErrorCode, endedAt }: FailedAttempt,
): Promise<void> {
  await tx`
    insert into charge_attempts
      (account_id, livemode, charge_id, assignment_id, outcome, reason, acquirer_error_code, ended_at)
    values
      (${uuidOf(scope.account)}, ${scope.livemode}, ${uuidOf(id)}, ${uuidOf(assignmentId)}, ${outcome}, ${reason},
       ${acquirerErrorCode}, ${endedAt})
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
    reason: RejectionReason | null;
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
