import { type ChargeId, idFromUuid, type OperationId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { Sql } from "../../platform/database/sql.ts";
import { waitsForInquiry } from "../commit/due-work.sql.ts";

/** Returns the charge that waits for an inquiry and is due first. */
export async function readUnresolvedCharge(
  read: Sql,
): Promise<{ readonly scope: Scope; readonly id: ChargeId } | null> {
  const [row] = await read<WaitingRow>`
    select account_id, livemode, id from charges where ${waitsForInquiry} order by due_at limit 1
  `;
  return row ? { scope: scopeOf(row), id: idFromUuid("ch", row.id) } : null;
}

export async function readUnresolvedOperation(
  read: Sql,
): Promise<{ readonly scope: Scope; readonly id: OperationId } | null> {
  const [row] = await read<WaitingRow>`
    select account_id, livemode, id from operations where ${waitsForInquiry} order by due_at limit 1
  `;
  return row ? { scope: scopeOf(row), id: idFromUuid("op", row.id) } : null;
}

type WaitingRow = { account_id: string; livemode: boolean; id: string };

function scopeOf({ account_id, livemode }: WaitingRow): Scope {
  return { account: idFromUuid("acct", account_id), livemode };
}
