import type { OperationRequest, SentChargeRequest } from "../../acquiring/processor.ts";
import { idFromUuid } from "../../core/ids.ts";
import type { Currency } from "../../core/money.ts";
import type { Sql } from "../../platform/database/sql.ts";
import { waitsForSimulator } from "../commit/due-work.sql.ts";

/** Returns the charge that waits for an inquiry at the simulator and is due first. */
export async function readUnresolvedCharge(read: Sql): Promise<UnresolvedCharge | null> {
  const [row] = await read<WaitingRow>`
    select account_id, id, amount, currency
      from charges
     where ${waitsForSimulator}
     order by due_at
     limit 1
  `;
  return row
    ? {
        account: idFromUuid("acct", row.account_id),
        reference: idFromUuid("ch", row.id),
        price: { amountMinor: row.amount, currency: row.currency },
      }
    : null;
}

/** Returns the operation that waits for an inquiry at the simulator and is due first. */
export async function readUnresolvedOperation(read: Sql): Promise<UnresolvedOperation | null> {
  const [row] = await read<WaitingRow & { charge_id: string; kind: UnresolvedOperation["kind"] }>`
    select account_id, id, charge_id, kind, amount, currency
      from operations
     where ${waitsForSimulator}
     order by due_at
     limit 1
  `;
  return row
    ? {
        account: idFromUuid("acct", row.account_id),
        reference: idFromUuid("op", row.id),
        charge: idFromUuid("ch", row.charge_id),
        kind: row.kind,
        price: { amountMinor: row.amount, currency: row.currency },
      }
    : null;
}

type UnresolvedCharge = Pick<SentChargeRequest, "account" | "reference" | "price">;
type UnresolvedOperation = Omit<OperationRequest, "chargeReference">;

type WaitingRow = { account_id: string; id: string; amount: number; currency: Currency };
