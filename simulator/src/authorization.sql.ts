import {
  bigints,
  booleans,
  keysOf,
  rowsOf,
  texts,
  timestamps,
  uuids,
} from "@florin/server/platform/database/array-parameter.ts";
import type { Sql, Tx } from "@florin/server/platform/database/sql.ts";
import type { Authorization, Key } from "./authorization.ts";

/**
 * Inserts the authorizations whose reference is new, and returns their keys. Waits for a concurrent insert of the same
 * reference, and then treats the reference as existing.
 */
export async function insertAuthorizations(
  tx: Tx,
  lines: readonly Authorization[],
  now: Date,
): Promise<Key[]> {
  const newLines = rowsOf({
    merchant: uuids(lines, (line) => line.merchant),
    reference: uuids(lines, (line) => line.reference),
    amount: bigints(lines, (line) => line.amountMinor),
    approved: bigints(lines, (line) => line.approvedMinor),
    currency: texts(lines, (line) => line.currency),
    captured: booleans(lines, (line) => line.captured),
    state: texts(lines, (line) => line.state),
    pending_outcome: texts(lines, (line) => line.pendingOutcome),
    resolves_at: timestamps(lines, (line) => line.resolvesAt),
    decline_code: texts(lines, (line) => line.declineCode),
    checks: texts(lines, (line) => line.checks),
    eci: texts(lines, (line) => line.eci),
  });
  return tx<Key>`
    insert into simulator.authorizations
           (merchant, reference, amount, approved, currency, captured, state, pending_outcome, resolves_at,
            decline_code, checks, eci, captured_at)
    select line.*, case when line.captured and line.state = 'approved' then ${now}::timestamptz end
      from ${newLines} as line
        on conflict (merchant, reference) do nothing
    returning merchant, reference
  `;
}

export async function readAuthorizations(sql: Sql, keys: readonly Key[]): Promise<Authorization[]> {
  const requestedKeys = keysOf({
    merchant: uuids(keys, (key) => key.merchant),
    reference: uuids(keys, (key) => key.reference),
  });
  const rows = await sql<AuthorizationRow>`
    select merchant, reference, amount, approved, currency, captured, state, pending_outcome, resolves_at,
           decline_code, checks, eci
      from ${requestedKeys} as requested
      join simulator.authorizations using (merchant, reference)
  `;
  return rows.map(toAuthorization);
}

/** Resolves a pending authorization to its final state. Returns null if it is not due or already resolved. */
export async function resolvePending(tx: Tx, key: Key, now: Date): Promise<Authorization | null> {
  const [row] = await tx<AuthorizationRow>`
    update simulator.authorizations
       set state = pending_outcome, pending_outcome = null, resolves_at = null,
           captured_at = case when captured and pending_outcome = 'approved' then resolves_at end
     where merchant = ${key.merchant} and reference = ${key.reference}
       and state = 'pending' and resolves_at <= ${now}
    returning merchant, reference, amount, approved, currency, captured, state, pending_outcome, resolves_at,
              decline_code, checks, eci
  `;
  return row ? toAuthorization(row) : null;
}

/**
 * Reverses the authorization, or inserts a reversed one if there is none, so that an authorization
 * request that arrives later is declined. Does not change a declined authorization, which can no longer be approved.
 */
export async function reverseAuthorization(tx: Tx, key: Key, now: Date): Promise<void> {
  await tx`
    insert into simulator.authorizations (merchant, reference, amount, approved, currency, captured, state)
    values (${key.merchant}, ${key.reference}, 0, 0, ${noCurrency}, false, 'reversed')
    on conflict (merchant, reference) do update
       set state = 'reversed', captured = false, pending_outcome = null, resolves_at = null,
           reversed_at = case when authorizations.captured_at is not null then ${now}::timestamptz end
     where authorizations.state in ('approved', 'pending')
  `;
}

/** The ISO 4217 code for transactions without a currency. */
const noCurrency = "xxx";

type AuthorizationRow = {
  merchant: string;
  reference: string;
  amount: number;
  approved: number;
  currency: string;
  captured: boolean;
  state: Authorization["state"];
  pending_outcome: Authorization["pendingOutcome"];
  resolves_at: Date | null;
  decline_code: string | null;
  checks: string;
  eci: string | null;
};

function toAuthorization(row: AuthorizationRow): Authorization {
  return {
    merchant: row.merchant,
    reference: row.reference,
    amountMinor: row.amount,
    approvedMinor: row.approved,
    currency: row.currency,
    captured: row.captured,
    state: row.state,
    pendingOutcome: row.pending_outcome,
    resolvesAt: row.resolves_at,
    declineCode: row.decline_code,
    checks: row.checks,
    eci: row.eci,
  };
}
