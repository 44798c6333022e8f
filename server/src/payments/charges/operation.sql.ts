import type { PendingReason } from "@florin/contract/charge.ts";
import type { DeclineCode } from "@florin/contract/declines.ts";
import type { RefundReason } from "@florin/contract/refund.ts";
import type { OperationKind } from "../../acquiring/processor.ts";
import type { Clock } from "../../core/clock.ts";
import {
  type ChargeId,
  firstUuidAt,
  idFromNullableUuid,
  idFromUuid,
  type OperationId,
  type PersonId,
  uuidOf,
  uuidOfNullable,
} from "../../core/ids.ts";
import type { Currency } from "../../core/money.ts";
import type { Owner } from "../../core/owner.ts";
import type { Database } from "../../platform/database/database.ts";
import { type Fragment, fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import { type Page, pageRows } from "../../platform/http/list.ts";
import type { Answer } from "../../platform/http/route.ts";
import { type Claim, claimDue } from "../../platform/jobs/claim-due.sql.ts";
import { dueOperations } from "../commit/due.sql.ts";
import type { Charge } from "./charge.ts";
import type { Operation, ProcessingOperation } from "./operation.ts";

/** Inserts the intent and binds the request's idempotency key to it. */
export async function insertOperation(
  tx: Tx,
  operation: ProcessingOperation,
  open: { readonly by: number; readonly dueAt: Date; readonly person: PersonId | null },
): Promise<void> {
  const { owner, price, request } = operation;
  await tx`
    insert into operations (
      account_id, livemode, id, charge_id, kind, status, amount, currency, reason, metadata, request_id,
      idempotency_key, claimed_by, due_at, requested_by
    ) values (
      ${uuidOf(owner.account)}, ${owner.livemode}, ${uuidOf(operation.id)}, ${uuidOf(operation.chargeId)},
      ${operation.kind}, 'processing', ${price.amountMinor}, ${price.currency}, ${operation.reason},
      ${JSON.stringify(operation.metadata)}, ${uuidOfNullable(request?.id ?? null)},
      ${request?.idempotencyKey ?? null}, ${open.by}, ${open.dueAt},
      ${uuidOfNullable(open.person)}
    )
  `;
  if (!request?.idempotencyKey) return;
  await tx`
    update idempotency_keys
       set operation_id = ${uuidOf(operation.id)}
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode}
       and key = ${request.idempotencyKey}
  `;
}

/** Returns the amount that the person has refunded since `since` in this currency, without failed refunds. */
export async function sumRefundsBy(
  read: Sql,
  owner: Owner,
  { person, currency, since }: { person: PersonId; currency: Currency; since: Date },
): Promise<number> {
  const [row] = await read<{ sum: string }>`
    select coalesce(sum(amount), 0)::text as sum
      from operations
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode} and kind = 'refund'
       and requested_by = ${uuidOf(person)} and id >= ${firstUuidAt(since)} and currency = ${currency}
       and status <> 'failed'
  `;
  return Number(row?.sum ?? 0);
}

/** Updates an operation if its version is unchanged. */
export async function moveOperation(
  tx: Tx,
  operation: Operation,
  dueAt: Date | null,
): Promise<boolean> {
  const { owner } = operation;
  const failed = operation.status === "failed" ? operation : null;
  const pendingReason = operation.status === "processing" ? operation.pendingReason : null;
  const rows = await tx`
    update operations
       set status = ${operation.status}, pending_reason = ${pendingReason}, version = ${operation.version},
           failure_code = ${failed?.failureCode ?? null},
           failure_entry_id = ${uuidOfNullable(failed?.failureEntry ?? null)},
           inquiries = ${operation.inquiries}, due_at = ${dueAt}, claimed_by = 0
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode}
       and id = ${uuidOf(operation.id)} and version = ${operation.version - 1}
    returning id
  `;
  return rows.length === 1;
}

/** Updates the status and amounts of a charge if its version is unchanged. */
export async function updateChargeMoney(tx: Tx, charge: Charge): Promise<boolean> {
  const money = charge.status === "succeeded" ? charge : null;
  const rows = await tx`
    update charges
       set status = ${charge.status}, version = ${charge.version},
           pending_reason = ${charge.status === "authorized" ? charge.pendingReason : null},
           amount_captured = ${money?.capturedMinor ?? 0}, amount_refunded = ${money?.refundedMinor ?? 0},
           amount_disputed = ${money?.disputedMinor ?? 0},
           finalized_at = ${"finalizedAt" in charge ? charge.finalizedAt : null}
     where account_id = ${uuidOf(charge.owner.account)} and livemode = ${charge.owner.livemode}
       and id = ${uuidOf(charge.id)} and version = ${charge.version - 1}
    returning id
  `;
  return rows.length === 1;
}

/** Ends a session whose payment was held: `paid` after a capture, `unpaid` after a void. */
export async function endSessionHold(
  tx: Tx,
  charge: Charge,
  paymentStatus: "paid" | "unpaid",
): Promise<void> {
  if (!charge.checkoutSessionId) return;
  await tx`
    update checkout_sessions
       set payment_status = ${paymentStatus}, version = version + 1
     where account_id = ${uuidOf(charge.owner.account)} and livemode = ${charge.owner.livemode}
       and id = ${uuidOf(charge.checkoutSessionId)} and charge_id = ${uuidOf(charge.id)}
       and payment_status = 'authorized'
  `;
}

/** Stores the response for the request's idempotency key, unless one is stored. */
export async function storeOperationAnswer(
  tx: Tx,
  { id, owner, request }: Operation,
  answer: Answer,
): Promise<void> {
  if (!request?.idempotencyKey) return;
  await tx`
    update idempotency_keys
       set status_code = ${answer.status}, answer = ${answer.body}
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode}
       and key = ${request.idempotencyKey} and operation_id = ${uuidOf(id)} and status_code is null
  `;
}

const operationColumns = fragment`
  account_id, livemode, id, charge_id, kind, status, pending_reason, version, amount, currency, failure_code, reason,
  metadata, failure_entry_id, request_id, idempotency_key, inquiries
`;

export async function readOperation(
  read: Sql,
  owner: Owner,
  id: OperationId,
): Promise<Operation | null> {
  const [row] = await read<OperationRow>`
    select ${operationColumns}
      from operations
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode} and id = ${uuidOf(id)}
  `;
  return row ? toOperation(row) : null;
}

/** Returns the capture or void in progress on a held charge. There is at most one. */
export async function readOpenHoldKind(
  read: Sql,
  owner: Owner,
  charge: ChargeId,
): Promise<"capture" | "void" | null> {
  const [row] = await read<{ kind: "capture" | "void" }>`
    select kind
      from operations
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode} and charge_id = ${uuidOf(charge)}
       and kind in ('capture', 'void') and status = 'processing'
  `;
  return row?.kind ?? null;
}

/** Literals instead of parameters, so that the planner can use the partial index of refunds. */
const ofKind: Readonly<Record<OperationKind, Fragment>> = {
  capture: fragment`and kind = 'capture'`,
  void: fragment`and kind = 'void'`,
  refund: fragment`and kind = 'refund'`,
};

export async function listOperations(
  read: Sql,
  owner: Owner,
  filter: {
    readonly kind?: OperationKind | undefined;
    readonly chargeId?: ChargeId | undefined;
  },
  page: Page,
): Promise<Operation[]> {
  const rows = await read<OperationRow>`
    select ${operationColumns}
      from operations
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode}
       ${filter.kind ? ofKind[filter.kind] : fragment``}
       ${filter.chargeId ? fragment`and charge_id = ${uuidOf(filter.chargeId)}` : fragment``}
       ${pageRows(page)}
  `;
  return rows.map(toOperation);
}

/** Claims operations whose inquiry is due. */
export async function claimDueOperations(
  deps: { readonly database: Database; readonly clock: Clock },
  process: number,
  claim: Omit<Claim, "columns">,
): Promise<ProcessingOperation[]> {
  const rows = await claimDue<OperationRow>(deps, dueOperations(process), {
    ...claim,
    columns: operationColumns,
  });
  return rows.map((row) => toOperation(row) as ProcessingOperation);
}

/** Returns authorized charges past their capture deadline with no operation in progress. */
export async function listChargesToRelease(
  read: Sql,
  now: Date,
  limit: number,
): Promise<{ owner: Owner; id: ChargeId }[]> {
  const rows = await read<{ account_id: string; livemode: boolean; id: string }>`
    select account_id, livemode, id
      from charges c
     where status = 'authorized' and capture_before <= ${now}
       and not exists (
         select from operations o
          where o.account_id = c.account_id and o.livemode = c.livemode and o.charge_id = c.id
            and o.status = 'processing'
       )
     order by capture_before
     limit ${limit}
  `;
  return rows.map((row) => ({
    owner: { account: idFromUuid("acct", row.account_id), livemode: row.livemode },
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
  request_id: string | null;
  idempotency_key: string | null;
  inquiries: number;
};

function toOperation(row: OperationRow): Operation {
  const facts = {
    id: idFromUuid("op", row.id),
    owner: { account: idFromUuid("acct", row.account_id), livemode: row.livemode },
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
    inquiries: row.inquiries,
  };
  if (row.status === "processing") {
    return { ...facts, status: row.status, pendingReason: row.pending_reason };
  }
  if (row.status === "succeeded") return { ...facts, status: row.status };
  const failureCode = row.failure_code as DeclineCode;
  const failureEntry = idFromNullableUuid("txn", row.failure_entry_id);
  return { ...facts, status: row.status, failureCode, failureEntry };
}
