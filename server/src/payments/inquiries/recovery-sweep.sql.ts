import type { AcquiredCharge } from "../../acquiring/acquirers.ts";
import { type ChargeId, idFromNullableUuid, idFromUuid, type OperationId } from "../../core/ids.ts";
import type { Sql } from "../../platform/database/sql.ts";
import { waitsForInquiry } from "../commit/due-work.sql.ts";

type UnresolvedCharge = AcquiredCharge & {
  readonly id: ChargeId;
  readonly acquirerReference: string | null;
};

/** Returns the charge that waits for an inquiry and is due first. */
export async function readUnresolvedCharge(read: Sql): Promise<UnresolvedCharge | null> {
  const [row] = await read<WaitingRow & { acquirer_reference: string | null }>`
    select account_id, livemode, id, assignment_id, acquirer_reference
      from charges
     where ${waitsForInquiry}
     order by due_at
     limit 1
  `;
  if (!row) return null;
  const acquirerReference = row.acquirer_reference;
  return { ...acquiredCharge(row), id: idFromUuid("ch", row.id), acquirerReference };
}

/** Returns the operation that waits for an inquiry and is due first, with the acquirer of its charge. */
export async function readUnresolvedOperation(
  read: Sql,
): Promise<(AcquiredCharge & { readonly id: OperationId }) | null> {
  const [row] = await read<WaitingRow>`
    select o.account_id, o.livemode, o.id, c.assignment_id
      from (select account_id, livemode, id, charge_id
              from operations
             where ${waitsForInquiry}
             order by due_at
             limit 1) as o
      join charges c on c.account_id = o.account_id and c.livemode = o.livemode and c.id = o.charge_id
  `;
  return row ? { ...acquiredCharge(row), id: idFromUuid("op", row.id) } : null;
}

type WaitingRow = {
  account_id: string;
  livemode: boolean;
  id: string;
  assignment_id: string | null;
};

function acquiredCharge({ account_id, livemode, assignment_id }: WaitingRow): AcquiredCharge {
  return {
    scope: { account: idFromUuid("acct", account_id), livemode },
    assignmentId: idFromNullableUuid("asg", assignment_id),
  };
}
