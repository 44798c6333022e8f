import { type ChargeId, idFromUuid, type OperationId } from "../../core/ids.ts";
import type { Owner } from "../../core/owner.ts";
import { fragment, type Sql, type Tx } from "../../platform/database/sql.ts";

/** Charges and operations that wait for an inquiry and are not claimed by a process. */
const waits = fragment`status = 'processing' and pending_reason = 'outcome_unknown' and claimed_by = 0`;

/** Makes up to `limit` charge inquiries that are due after `later` due now. Returns their number. */
export async function bringChargesForward(
  tx: Tx,
  now: Date,
  later: Date,
  limit: number,
): Promise<number> {
  const rows = await tx`
    with waiting as materialized (
      select account_id as its_account, livemode as its_livemode, id as its_id
        from charges
       where ${waits} and due_at > ${later}
       order by due_at
       limit ${limit}
    )
    update charges
       set due_at = ${now}
      from waiting
     where account_id = its_account and livemode = its_livemode and id = its_id
       and ${waits} and due_at > ${later}
    returning id
  `;
  return rows.length;
}

/** Does the same for captures, voids and refunds. */
export async function bringOperationsForward(
  tx: Tx,
  now: Date,
  later: Date,
  limit: number,
): Promise<number> {
  const rows = await tx`
    with waiting as materialized (
      select account_id as its_account, livemode as its_livemode, id as its_id
        from operations
       where ${waits} and due_at > ${later}
       order by due_at
       limit ${limit}
    )
    update operations
       set due_at = ${now}
      from waiting
     where account_id = its_account and livemode = its_livemode and id = its_id
       and ${waits} and due_at > ${later}
    returning id
  `;
  return rows.length;
}

/** Returns the waiting charge whose inquiry is due first. */
export async function readWaitingCharge(
  read: Sql,
): Promise<{ readonly owner: Owner; readonly id: ChargeId } | null> {
  const [row] = await read<WaitingRow>`
    select account_id, livemode, id from charges where ${waits} order by due_at limit 1
  `;
  return row ? { owner: ownerOf(row), id: idFromUuid("ch", row.id) } : null;
}

export async function readWaitingOperation(
  read: Sql,
): Promise<{ readonly owner: Owner; readonly id: OperationId } | null> {
  const [row] = await read<WaitingRow>`
    select account_id, livemode, id from operations where ${waits} order by due_at limit 1
  `;
  return row ? { owner: ownerOf(row), id: idFromUuid("op", row.id) } : null;
}

type WaitingRow = { account_id: string; livemode: boolean; id: string };

function ownerOf({ account_id, livemode }: WaitingRow): Owner {
  return { account: idFromUuid("acct", account_id), livemode };
}
