import type { PendingReason } from "@florin/contract/charge.ts";
import type { DeclineCode } from "@florin/contract/declines.ts";
import type { RefundReason } from "@florin/contract/refund.ts";
import type { OperationKind } from "../../acquiring/processor.ts";
import type { Clock } from "../../core/clock.ts";
import {
  type AccountId,
  type ChargeId,
  firstUuidAt,
  idFromNullableUuid,
  idFromUuid,
  type OperationId,
  type PersonId,
  uuidOf,
} from "../../core/ids.ts";
import type { Currency } from "../../core/money.ts";
import type { Scope } from "../../core/scope.ts";
import type { Database } from "../../platform/database/database.ts";
import { type Fragment, fragment, type Sql } from "../../platform/database/sql.ts";
import { isOneOf, type Page, pageRows } from "../../platform/http/list.ts";
import { type Claim, claimDue } from "../../platform/jobs/claim-due.sql.ts";
import { dueOperations } from "../commit/due-work.sql.ts";
import type { Change } from "../commit/transition.ts";
import type { Operation, ProcessingOperation } from "./operation.ts";

/** Returns the change that inserts an operation. */
export function newOperation(
  operation: ProcessingOperation,
  open: { readonly by: number; readonly dueAt: Date; readonly person: PersonId | null },
): Change<"newOperation"> {
  const { id, version, chargeId, kind, status, price, reason, metadata, request } = operation;
  return {
    kind: "newOperation",
    id,
    version,
    row: {
      charge_id: chargeId,
      kind,
      status,
      amount: price.amountMinor,
      currency: price.currency,
      reason,
      metadata,
      request_id: request?.id ?? null,
      idempotency_key: request?.idempotencyKey ?? null,
      requested_by: open.person,
      claimed_by: open.by,
      due_at: open.dueAt,
    },
  };
}

/** Returns the change that writes an operation's new state. */
export function operationOutcome(
  operation: Operation,
  { dueAt, now }: { readonly dueAt: Date | null; readonly now: Date },
): Change<"operationOutcome"> {
  const { id, version, status, inquiries } = operation;
  const failed = operation.status === "failed" ? operation : null;
  return {
    kind: "operationOutcome",
    id,
    version,
    row: {
      status,
      pending_reason: operation.status === "processing" ? operation.pendingReason : null,
      failure_code: failed?.failureCode ?? null,
      failure_entry_id: failed?.failureEntry ?? null,
      acquirer_reference: operation.acquirerReference,
      inquiries,
      due_at: dueAt,
      finalized_at: status === "processing" ? null : now,
    },
  };
}

/** Returns the amount that the person has refunded in this currency since `since`. Excludes failed refunds. */
export async function sumRefundsBy(
  read: Sql,
  scope: Scope,
  { person, currency, since }: { person: PersonId; currency: Currency; since: Date },
): Promise<number> {
  const [row] = await read<{ sum: string }>`
    select coalesce(sum(amount), 0)::text as sum
      from operations
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and kind = 'refund'
       and requested_by = ${uuidOf(person)} and id >= ${firstUuidAt(since)} and currency = ${currency}
       and status <> 'failed'
  `;
  return Number(row?.sum ?? 0);
}

const operationColumns = fragment`
  account_id, livemode, id, charge_id, kind, status, pending_reason, version, amount, currency, failure_code, reason,
  metadata, failure_entry_id, acquirer_reference, request_id, idempotency_key, inquiries
`;

export async function readOperation(
  read: Sql,
  scope: Scope,
  id: OperationId,
): Promise<Operation | null> {
  const [row] = await read<OperationRow>`
    select ${operationColumns}
      from operations
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
  `;
  return row ? toOperation(row) : null;
}

/** Returns the kind of the operation in progress on an authorized charge, or null. There is at most one. */
export async function readOpenHoldKind(
  read: Sql,
  scope: Scope,
  charge: ChargeId,
): Promise<"capture" | "void" | null> {
  const [row] = await read<{ kind: "capture" | "void" }>`
    select kind
      from operations
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and charge_id = ${uuidOf(charge)}
       and kind in ('capture', 'void') and status = 'processing'
  `;
  return row?.kind ?? null;
}

/** Returns the capture by which a held charge succeeded. Returns null for a charge without a separate capture. */
export async function readSucceededCapture(
  read: Sql,
  scope: Scope,
  charge: ChargeId,
): Promise<Operation | null> {
  const [row] = await read<OperationRow>`
    select ${operationColumns}
      from operations
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and charge_id = ${uuidOf(charge)}
       and kind = 'capture' and status = 'succeeded'
  `;
  return row ? toOperation(row) : null;
}

/** Literals instead of parameters, so that the planner can use the partial index on refunds. */
const ofKind: Readonly<Record<OperationKind, Fragment>> = {
  capture: fragment`and kind = 'capture'`,
  void: fragment`and kind = 'void'`,
  refund: fragment`and kind = 'refund'`,
};

const rare: readonly Operation["status"][] = ["processing", "failed"];

/** Literals instead of parameters, so that the planner can use the partial index of refunds. */
const indexed = fragment`and status in ('processing', 'failed')`;

export async function listOperations(
  read: Sql,
  scope: Scope,
  filter: {
    readonly kind?: OperationKind | undefined;
    readonly chargeId?: ChargeId | undefined;
    readonly statuses?: readonly Operation["status"][] | undefined;
  },
  page: Page,
): Promise<Operation[]> {
  const rows = await read<OperationRow>`
    select ${operationColumns}
      from operations
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       ${filter.kind ? ofKind[filter.kind] : fragment``}
       ${filter.chargeId ? fragment`and charge_id = ${uuidOf(filter.chargeId)}` : fragment``}
       ${isOneOf(fragment`status`, filter.statuses)}
       ${filter.statuses?.every((one) => rare.includes(one)) ? indexed : fragment``}
       ${pageRows(page)}
  `;
  return rows.map(toOperation);
}

/** Claims operations whose status inquiry is due. */
export async function claimDueOperations(
  deps: { readonly database: Database; readonly clock: Clock },
  process: number,
  claim: Pick<Claim, "leaseMs" | "limit"> & { readonly exceptAccounts: readonly AccountId[] },
): Promise<ProcessingOperation[]> {
  const { leaseMs, limit, exceptAccounts } = claim;
  const rows = await claimDue<OperationRow>(deps, dueOperations(process), {
    columns: operationColumns,
    leaseMs,
    limit,
    except: { column: fragment`account_id`, uuids: exceptAccounts.map(uuidOf) },
  });
  return rows.map((row) => toOperation(row) as ProcessingOperation);
}

/**
 * Returns authorized charges that are past their capture deadline and have no operation in progress. If the acquirer
 * declines a void, for example because it has already released the authorization, the next attempt waits until the time
 * since the deadline has doubled. Otherwise every turn of the job would send another void for each of these charges,
 * and they would leave no place in the batch for the others.
 */
export async function listChargesToRelease(
  read: Sql,
  now: Date,
  limit: number,
): Promise<{ scope: Scope; id: ChargeId }[]> {
  const rows = await read<{ account_id: string; livemode: boolean; id: string }>`
    select account_id, livemode, id
      from charges c
     where status = 'authorized' and capture_before <= ${now}
       and not exists (
         select from operations o
          where o.account_id = c.account_id and o.livemode = c.livemode and o.charge_id = c.id
            and (o.status = 'processing'
                 or (o.kind = 'void' and o.status = 'failed'
                     and o.finalized_at > c.capture_before + (${now}::timestamptz - c.capture_before) / 2))
       )
     order by capture_before
     limit ${limit}
  `;
  return rows.map((row) => ({
    scope: { account: idFromUuid("acct", row.account_id), livemode: row.livemode },
    id: idFromUuid("ch", row.id),
  }));
}

type OperationRow = {
  account_id: string;
  livemode: boolean;
  id: string;
  charge_id: string;
  kind: OperationKind;
  status: Operation["status"];
  pending_reason: PendingReason | null;
  version: number;
  amount: number;
  currency: Currency;
  failure_code: DeclineCode | null;
  reason: RefundReason | null;
  metadata: Record<string, string>;
  failure_entry_id: string | null;
  acquirer_reference: string | null;
  request_id: string | null;
  idempotency_key: string | null;
  inquiries: number;
};

function toOperation(row: OperationRow): Operation {
  const base = {
    id: idFromUuid("op", row.id),
    scope: { account: idFromUuid("acct", row.account_id), livemode: row.livemode },
    kind: row.kind,
    chargeId: idFromUuid("ch", row.charge_id),
    version: row.version,
    price: { amountMinor: row.amount, currency: row.currency },
    reason: row.reason,
    metadata: row.metadata,
    request:
      row.request_id === null
        ? null
        : { id: idFromUuid("req", row.request_id), idempotencyKey: row.idempotency_key },
    acquirerReference: row.acquirer_reference,
    inquiries: row.inquiries,
  };
  if (row.status === "processing") {
    return { ...base, status: row.status, pendingReason: row.pending_reason };
  }
  if (row.status === "succeeded") return { ...base, status: row.status };
  const failureCode = row.failure_code as DeclineCode;
  const failureEntry = idFromNullableUuid("txn", row.failure_entry_id);
  return { ...base, status: row.status, failureCode, failureEntry };
}
