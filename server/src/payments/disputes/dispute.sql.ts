import type { DisputeReason, DisputeStatus, SubmitEvidence } from "@florin/contract/dispute.ts";
import type { OneOrMore } from "@florin/contract/list.ts";
import type { Clock } from "../../core/clock.ts";
import {
  type AccountId,
  type ChargeId,
  type DisputeId,
  idFromNullableUuid,
  idFromUuid,
  uuidOf,
} from "../../core/ids.ts";
import type { Currency } from "../../core/money.ts";
import type { Scope } from "../../core/scope.ts";
import type { Database } from "../../platform/database/database.ts";
import { type Fragment, fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import { isOneOf, type Page, pageRows } from "../../platform/http/list.ts";
import { type Claim, claimDue } from "../../platform/jobs/claim-due.sql.ts";
import { dueDisputeResponses } from "../commit/due-work.sql.ts";
import type { Change } from "../commit/transition.ts";
import type { Dispute } from "./dispute.ts";

/** Returns the change that inserts a dispute. */
export function newDispute(dispute: Dispute, now: Date): Change<"newDispute"> {
  const { id, version, price, reason } = dispute;
  return {
    kind: "newDispute",
    id,
    version,
    row: {
      charge_id: dispute.chargeId,
      network_case: dispute.networkCase,
      acquirer_reference: dispute.acquirerReference,
      status: dispute.status,
      amount: price.amountMinor,
      currency: price.currency,
      reason,
      is_inquiry: dispute.isInquiry,
      evidence_due_at: dispute.evidenceDueAt,
      due_at: dueAt(dispute),
      closed_at: closedAt(dispute, now),
    },
  };
}

/** Returns the change that writes a dispute's new state. */
export function disputeStep(dispute: Dispute, now: Date): Change<"disputeStep"> {
  const { id, version, evidence } = dispute;
  return {
    kind: "disputeStep",
    id,
    version,
    row: {
      status: dispute.status,
      amount: dispute.price.amountMinor,
      reason: dispute.reason,
      is_inquiry: dispute.isInquiry,
      evidence,
      evidence_due_at: dispute.evidenceDueAt,
      response_due_at: dispute.responseDueAt,
      response_attempts: dispute.responseAttempts,
      response_problem: dispute.responseProblem,
      reversal_entry_id: dispute.reversal,
      due_at: dueAt(dispute),
      closed_at: closedAt(dispute, now),
    },
  };
}

/** Returns the time at which the deadline job processes the dispute, or null if no response is due. */
function dueAt({ status, evidenceDueAt }: Dispute): Date | null {
  return status === "needs_response" ? evidenceDueAt : null;
}

function closedAt({ status }: Dispute, now: Date): Date | null {
  return status === "won" || status === "lost" ? now : null;
}

/**
 * Selects the disputes `d` that are second chargebacks (`recordSecondChargeback`). They were recorded as lost, with the
 * time of their recording as the evidence deadline. The ID of a dispute contains the time of its recording in
 * milliseconds.
 */
export const isSecondChargeback = fragment`
  d.status = 'lost' and d.evidence_due_at < created_at(d.id) + interval '1 second'
`;

const disputeColumns = fragment`
  account_id, livemode, id, charge_id, network_case, acquirer_reference, status, version, amount, currency, reason,
  is_inquiry, evidence, evidence_due_at, response_due_at, response_attempts, response_problem, reversal_entry_id
`;

export async function readDispute(read: Sql, scope: Scope, id: DisputeId): Promise<Dispute | null> {
  const [row] = await read<DisputeRow>`
    select ${disputeColumns}
      from disputes
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
  `;
  return row ? toDispute(row) : null;
}

export async function readDisputeOfCase(
  read: Sql,
  scope: Scope,
  networkCase: string,
): Promise<Dispute | null> {
  const [row] = await read<DisputeRow>`
    select ${disputeColumns}
      from disputes
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       and network_case = ${networkCase}
  `;
  return row ? toDispute(row) : null;
}

export type DisputeFilter = {
  readonly chargeId?: ChargeId | undefined;
  readonly status?: OneOrMore<DisputeStatus> | undefined;
};

export async function listDisputes(
  read: Sql,
  scope: Scope,
  filter: DisputeFilter,
  page: Page,
): Promise<Dispute[]> {
  const rows = await read<DisputeRow>`
    select ${disputeColumns}
      from disputes
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       ${matching(filter)}
       ${pageRows(page)}
  `;
  return rows.map(toDispute);
}

/** The maximum number of disputes to count. */
const maxCount = 10_000;

/** Counts the disputes within the page's bounds. The count is not exact if there are more than `maxCount`. */
export async function countDisputes(
  read: Sql,
  scope: Scope,
  filter: DisputeFilter,
  page: Page,
): Promise<{ count: number; exact: boolean }> {
  const [row] = await read<{ count: number }>`
    select count(*)::integer as count
      from (
        select
          from disputes
         where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
           ${matching(filter)}
           ${pageRows({ ...page, limit: maxCount })}
      ) as found
  `;
  const count = row?.count ?? 0;
  return { count: Math.min(count, maxCount), exact: count <= maxCount };
}

function matching({ chargeId, status }: DisputeFilter): Fragment {
  return fragment`
       ${chargeId ? fragment`and charge_id = ${uuidOf(chargeId)}` : fragment``}
       ${isOneOf(fragment`status`, status)}`;
}

/**
 * Returns a page of the disputes that need a response, the earliest deadline first. The cursor contains the ID of a
 * dispute, and the statement reads the deadline of that dispute. A dispute keeps its deadline after its response was
 * sent, so the cursor stays valid.
 */
export async function listDisputesByDeadline(
  read: Sql,
  scope: Scope,
  { chargeId }: Pick<DisputeFilter, "chargeId">,
  cursor: DeadlineCursor,
): Promise<Dispute[]> {
  const account = uuidOf(scope.account);
  const { limit, after, before } = cursor;
  const edge = after ?? before;
  const bound = edge
    ? fragment`and (evidence_due_at, id) ${after ? fragment`>` : fragment`<`} (
         select evidence_due_at, id from disputes
          where account_id = ${account} and livemode = ${scope.livemode} and id = ${uuidOf(edge)})`
    : fragment``;
  const order = before
    ? fragment`order by evidence_due_at desc, id desc`
    : fragment`order by evidence_due_at, id`;
  const rows = await read<DisputeRow>`
    select ${disputeColumns}
      from disputes
     where account_id = ${account} and livemode = ${scope.livemode} and status = 'needs_response'
       ${chargeId ? fragment`and charge_id = ${uuidOf(chargeId)}` : fragment``}
       ${bound}
       ${order}
     limit ${limit + 1}
  `;
  return rows.map(toDispute);
}

/** The position of a page of disputes in the order of their deadlines. At most one of `after` and `before` is set. */
export type DeadlineCursor = {
  readonly limit: number;
  readonly after: DisputeId | null;
  readonly before: DisputeId | null;
};

/**
 * Returns whether a dispute or inquiry of the charge is open. The charge's `disputedMinor` does not include inquiries,
 * because they have not moved money.
 */
export async function hasOpenDispute(read: Sql, scope: Scope, charge: ChargeId): Promise<boolean> {
  const rows = await read`
    select 1
      from disputes
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and charge_id = ${uuidOf(charge)}
       and status in ('needs_response', 'under_review')
     limit 1
  `;
  return rows.length > 0;
}

/**
 * Returns the open inquiries of a charge. Returns none while a refund of the charge is pending, because the refund can
 * fail.
 */
export async function listRefundedInquiries(
  tx: Tx,
  scope: Scope,
  charge: ChargeId,
): Promise<Dispute[]> {
  const rows = await tx<DisputeRow>`
    select ${disputeColumns}
      from disputes
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and charge_id = ${uuidOf(charge)}
       and is_inquiry and status in ('needs_response', 'under_review')
       and not exists (
         select from operations
          where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
            and charge_id = ${uuidOf(charge)} and kind = 'refund' and status = 'processing'
       )
  `;
  return rows.map(toDispute);
}

/**
 * Returns test-mode disputes whose evidence deadline has passed. In live mode, the merchant may have responded in the
 * acquirer's console, so the acquirer decides and reports the outcome.
 */
export async function listOverdueDisputes(read: Sql, now: Date, limit: number): Promise<Dispute[]> {
  const rows = await read<DisputeRow>`
    select ${disputeColumns}
      from disputes
     where due_at <= ${now} and not livemode
     order by due_at
     limit ${limit}
  `;
  return rows.map(toDispute);
}

/** Claims disputes whose response must be sent to the network. */
export async function claimDueResponses(
  deps: { readonly database: Database; readonly clock: Clock },
  claim: Pick<Claim, "leaseMs" | "limit"> & { readonly exceptAccounts: readonly AccountId[] },
): Promise<Dispute[]> {
  const { leaseMs, limit, exceptAccounts } = claim;
  const rows = await claimDue<DisputeRow>(deps, dueDisputeResponses, {
    columns: disputeColumns,
    leaseMs,
    limit,
    except: { column: fragment`account_id`, uuids: exceptAccounts.map(uuidOf) },
  });
  return rows.map(toDispute);
}

type DisputeRow = {
  account_id: string;
  livemode: boolean;
  id: string;
  charge_id: string;
  network_case: string;
  acquirer_reference: string | null;
  status: DisputeStatus;
  version: number;
  amount: number;
  currency: Currency;
  reason: DisputeReason;
  is_inquiry: boolean;
  evidence: SubmitEvidence | null;
  evidence_due_at: Date;
  response_due_at: Date | null;
  response_attempts: number;
  response_problem: string | null;
  reversal_entry_id: string | null;
};

function toDispute(row: DisputeRow): Dispute {
  return {
    id: idFromUuid("dp", row.id),
    scope: { account: idFromUuid("acct", row.account_id), livemode: row.livemode },
    chargeId: idFromUuid("ch", row.charge_id),
    networkCase: row.network_case,
    acquirerReference: row.acquirer_reference,
    version: row.version,
    price: { amountMinor: row.amount, currency: row.currency },
    status: row.status,
    reason: row.reason,
    isInquiry: row.is_inquiry,
    evidence: row.evidence,
    evidenceDueAt: row.evidence_due_at,
    responseDueAt: row.response_due_at,
    responseAttempts: row.response_attempts,
    responseProblem: row.response_problem,
    reversal: idFromNullableUuid("txn", row.reversal_entry_id),
  };
}
