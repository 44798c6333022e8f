import assert from "node:assert/strict";
import {
  lockMatching,
  type ReportKey,
  takeBackRelease,
} from "../../acquiring/connections/settlement-report.sql.ts";
import {
  type BalanceTransactionId,
  type ChargeId,
  createdAt,
  newId,
  type OperationId,
} from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { assertTransition } from "../../core/transitions.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { renderEvent } from "../../webhooks/events/event.ts";
import { lockCharge } from "../charges/charge.sql.ts";
import {
  balanceTransactionIdOf,
  chargeTransitions,
  type FailedCharge,
  type SucceededCharge,
} from "../charges/charge.ts";
import { chargeText } from "../charges/charge-text.ts";
import { writeThrough } from "../charges/record-charge.ts";
import { commitTransition } from "../commit/commit-transitions.sql.ts";
import { recountHour } from "../commit/recount-hour.sql.ts";
import type { Transition } from "../commit/transition.ts";
import { hasOpenDispute } from "../disputes/dispute.sql.ts";
import { listTransfers } from "../ledger/ledger.sql.ts";
import { failureTransfers, type Transfer } from "../ledger/posting-rules.ts";
import { operationOutcome, readOperation, readSucceededCapture } from "./operation.sql.ts";
import { failed, operationTransitions } from "./operation.ts";
import type { OperationDeps } from "./operation-deps.ts";

/** The capture that failed at the acquirer after it had succeeded. */
export type FailedCapture = {
  readonly scope: Scope;
  readonly chargeId: ChargeId;
  /**
   * The capture operation, if the acquirer names it. Null if the charge has no separate capture, or if the acquirer
   * names the charge.
   */
  readonly operationId: OperationId | null;
  /** The merchant account whose reports settle the charge. */
  readonly settledBy: Pick<ReportKey, "connection" | "merchantAccount">;
};

/**
 * Records that a capture failed after it had succeeded: charge, capture operation, ledger entry, event, deliveries and
 * session in one transaction. The merchant's balance returns to its value before the payment. If a report has already
 * settled the payment, the available balance is reduced when the job applies that report again. Returns `unchanged` if
 * the charge or the capture is not `succeeded`. Returns `has_refunds_or_disputes`, and changes nothing, if the charge
 * has refunds or open or lost disputes. Those have already returned money that was never collected, so an operator must
 * decide.
 */
export async function failCapture(
  deps: OperationDeps,
  capture: FailedCapture,
): Promise<"failed" | "unchanged" | "has_refunds_or_disputes"> {
  const result = await writeThrough(() =>
    deps.database.transactionOf(capture.scope, (tx) => record(deps, tx, capture)),
  );
  deps.wakeDeliveries();
  return result;
}

async function record(
  deps: OperationDeps,
  tx: Tx,
  { scope, chargeId, operationId, settledBy }: FailedCapture,
): Promise<"failed" | "unchanged" | "has_refunds_or_disputes"> {
  // Prevents a settlement report from releasing the payment between `takeBackRelease` and the commit.
  await lockMatching(tx, settledBy);
  // The charge's lock also protects its operations and disputes, because every writer acquires it first.
  const charge = await lockCharge(tx, scope, chargeId);
  assert(charge, `${chargeId} is missing`);
  const capture = operationId
    ? await readOperation(tx, scope, operationId)
    : await readSucceededCapture(tx, scope, chargeId);
  if (charge.status !== "succeeded" || (capture && capture.status !== "succeeded")) {
    return "unchanged";
  }
  if (charge.refundedMinor > 0 || charge.disputedMinor > 0) return "has_refunds_or_disputes";
  if (await hasOpenDispute(tx, scope, chargeId)) return "has_refunds_or_disputes";

  const now = deps.clock.now();
  const posted = await listTransfers(tx, scope, [balanceTransactionIdOf(chargeId)]);
  const amountOf = (kind: Transfer["kind"]) => posted.find((row) => row.kind === kind)?.amount ?? 0;
  const transfers = failureTransfers(
    { chargedMinor: amountOf("charge"), feeMinor: amountOf("fee") },
    await takeBackRelease(tx, scope.account, chargeId, now),
  );
  assertTransition(chargeTransitions, chargeId, charge.status, "failed");
  const transition = captureFailure(charge, newId("txn", now), transfers, now);
  assert(await commitTransition(tx, transition), `${chargeId} changed under its lock`);
  if (capture) {
    assertTransition(operationTransitions, capture.id, capture.status, "failed");
    const change = operationOutcome(failed(capture), { dueAt: null, now });
    assert(await commitTransition(tx, { scope, change }), `${capture.id} changed under the lock`);
  }
  await recountHour(tx, scope, createdAt(chargeId), now);
  return "failed";
}

/**
 * Returns the transition of a charge whose capture failed. Its event is not `payment_failed`, to which integrations
 * respond by requesting another card from the customer.
 */
export function captureFailure(
  charge: SucceededCharge,
  failureEntry: BalanceTransactionId,
  transfers: readonly Transfer[],
  now: Date,
): Transition<"captureFailure"> {
  const code = "processing_error";
  const after: FailedCharge = {
    ...charge,
    version: charge.version + 1,
    status: "failed",
    failure: { code, declineCode: code, networkDeclineCode: null },
    failureEntry,
    unconfirmed: false,
  };
  const { id, scope, version, status, checkoutSessionId, price } = after;
  const unpaid = { status: "complete", paymentStatus: "unpaid", lastPaymentError: null } as const;
  return {
    scope,
    change: {
      kind: "captureFailure",
      id,
      version,
      row: {
        status,
        amount_captured: 0,
        failure_code: code,
        decline_code: code,
        failure_entry_id: failureEntry,
      },
    },
    entries: [{ id: failureEntry, currency: price.currency, source: id, transfers }],
    events: [
      renderEvent({
        id: newId("evt", now),
        type: "payment.capture_failed",
        scope,
        cause: null,
        objectId: id,
        object: chargeText(after, null),
      }),
    ],
    session: checkoutSessionId ? { id: checkoutSessionId, ...unpaid } : null,
    // The search index contains the charge with the words of its earlier status, so the charge must be indexed again.
    isLate: true,
  };
}
