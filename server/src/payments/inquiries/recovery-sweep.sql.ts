import { type AccountId, type ChargeId, idFromUuid, type OperationId } from "../../core/ids.ts";
import type { Sql } from "../../platform/database/sql.ts";
import { waitsForSimulator } from "../commit/due-work.sql.ts";

type Unresolved<Reference> = { readonly account: AccountId; readonly reference: Reference };

/** Returns the charge that waits for an inquiry at the simulator and is due first. */
export async function readUnresolvedCharge(read: Sql): Promise<Unresolved<ChargeId> | null> {
  const [row] = await read<WaitingRow>`
    select account_id, id
      from charges
     where ${waitsForSimulator}
     order by due_at
     limit 1
  `;
  return row
    ? { account: idFromUuid("acct", row.account_id), reference: idFromUuid("ch", row.id) }
    : null;
}

/** Returns the operation that waits for an inquiry at the simulator and is due first. */
export async function readUnresolvedOperation(read: Sql): Promise<Unresolved<OperationId> | null> {
  const [row] = await read<WaitingRow>`
    select account_id, id
      from operations
     where ${waitsForSimulator}
     order by due_at
     limit 1
  `;
  return row
    ? { account: idFromUuid("acct", row.account_id), reference: idFromUuid("op", row.id) }
    : null;
}

type WaitingRow = { account_id: string; id: string };
