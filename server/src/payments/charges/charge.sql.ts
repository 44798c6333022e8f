import type { Clock } from "../../core/clock.ts";
import { type ChargeId, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { booleans, integers, keysOf, uuids } from "../../platform/database/array-parameter.ts";
import type { Database } from "../../platform/database/database.ts";
import { fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import { type Claim, claimDue } from "../../platform/jobs/claim-due.sql.ts";
import { dueCharges } from "../commit/due-work.sql.ts";
import type { Charge, PendingCharge } from "./charge.ts";
import { type ChargeRow, toCharge } from "./charge-row.ts";

export const chargeColumns = fragment`
  account_id, livemode, id, status, pending_reason, reversal_pending, version, amount, amount_captured, amount_refunded,
  amount_disputed, currency, capture_method, capture_before, processor, assignment_id, acquirer_reference, acquirer_details, payment_method_id, card, checks, three_d_secure, customer_id,
  checkout_session_id, decision_id, decision_outcome, risk_score, decision_reasons, decision_details, client_reference_id, description, statement_descriptor,
  off_session, return_url, metadata, failure_code, decline_code, network_decline_code, failure_unconfirmed,
  failure_entry_id, request_id, idempotency_key, inquiries, inquiry_restarts, finalized_at
`;

export async function readCharge(read: Sql, scope: Scope, id: ChargeId): Promise<Charge | null> {
  const [row] = await read<ChargeRow>`
    select ${chargeColumns}
      from charges
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
  `;
  return row ? toCharge(row) : null;
}

export type ChargeKey = { readonly scope: Scope; readonly id: ChargeId };

/** Reads many charges in one statement. Returns null for each missing charge. */
export async function readCharges(
  read: Sql,
  keys: readonly ChargeKey[],
): Promise<(Charge | null)[]> {
  const requested = keysOf({
    requested_account: uuids(keys, ({ scope }) => scope.account),
    requested_livemode: booleans(keys, ({ scope }) => scope.livemode),
    requested_id: uuids(keys, ({ id }) => id),
    place: integers(keys, (_, index) => index),
  });
  const rows = await read<ChargeRow & { place: number }>`
    select requested.place, ${chargeColumns}
      from ${requested} as requested
      join charges on account_id = requested_account and livemode = requested_livemode and id = requested_id
  `;
  const charges: (Charge | null)[] = keys.map(() => null);
  for (const row of rows) charges[row.place] = toCharge(row);
  return charges;
}

/** Locks and returns the charge, so that no other transaction changes it. */
export async function lockCharge(tx: Tx, scope: Scope, id: ChargeId): Promise<Charge | null> {
  const [row] = await tx<ChargeRow>`
    select ${chargeColumns}
      from charges
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
       for update
  `;
  return row ? toCharge(row) : null;
}

/** Claims charges whose lease has expired, or whose status inquiry or challenge deadline is due. */
export async function claimDueCharges(
  deps: { readonly database: Database; readonly clock: Clock },
  process: number,
  claim: Omit<Claim, "columns">,
): Promise<PendingCharge[]> {
  const rows = await claimDue<ChargeRow>(deps, dueCharges(process), {
    ...claim,
    columns: chargeColumns,
  });
  return rows.map((row) => toCharge(row) as PendingCharge);
}
