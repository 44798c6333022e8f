import type { Refund as RefundObject } from "@florin/contract/refund.ts";
import { unixSeconds } from "../../core/clock.ts";
import { createdAt, type Id, newId, type OperationId, type RefundId } from "../../core/ids.ts";
import { type NewEvent, renderEvent } from "../../webhooks/events/event.ts";
import type { Charge, SucceededCharge } from "../charges/charge.ts";
import type { Entry } from "../ledger/ledger.sql.ts";
import { transfer } from "../ledger/posting-rules.ts";
import type { Operation, OperationRules } from "./operation.ts";
import { chargeOf } from "./refund-assertions.ts";

/** Returns the refund's ID. It has the same UUID as the operation, whose ID is the reference at the acquirer. */
export function refundIdOf(id: OperationId): RefundId {
  return withPrefix("re", id);
}

export function operationIdOf(id: RefundId): OperationId {
  return withPrefix("op", id);
}

function withPrefix<Prefix extends string>(prefix: Prefix, id: Id<string>): Id<Prefix> {
  return `${prefix}_${id.slice(id.indexOf("_") + 1)}`;
}

/** Returns the refund as an API object. */
export function refundObject(operation: Operation): RefundObject {
  const failed = operation.status === "failed" ? operation : null;
  const wasPosted = operation.status === "succeeded" || failed?.failureEntry != null;
  return {
    id: refundIdOf(operation.id),
    object: "refund",
    livemode: operation.scope.livemode,
    created: unixSeconds(createdAt(operation.id)),
    version: operation.version,
    charge_id: operation.chargeId,
    amount: operation.price.amountMinor,
    currency: operation.price.currency,
    status: operation.status === "processing" ? "pending" : operation.status,
    pending_reason: operation.status === "processing" ? operation.pendingReason : null,
    reason: operation.reason,
    failure_reason: failed?.failureCode ?? null,
    balance_transaction_id: wasPosted ? withPrefix("txn", operation.id) : null,
    failure_balance_transaction_id: failed?.failureEntry ?? null,
    metadata: operation.metadata,
  };
}

/** The rules of a refund. The amount is reserved on the charge when the refund is created, and released if it fails. */
export const refundRules: OperationRules = {
  prepare(charge, amountMinor) {
    const { paid, requestedMinor } = chargeOf(charge, amountMinor);
    return { amountMinor: requestedMinor, charge: reserveRefund(paid, requestedMinor) };
  },
  applyOutcome(before, after, { charge, now }) {
    const object = JSON.stringify(refundObject(after));
    if (after.status === "processing") return { charge, entry: null, events: [] };
    const failed = after.status === "failed";
    return {
      charge: failed ? reserveRefund(charge as SucceededCharge, -after.price.amountMinor) : charge,
      entry: entryFor(after),
      events: [announce(after, before, object, now)],
    };
  },
  response: (operation) => ({ status: 201, body: JSON.stringify(refundObject(operation)) }),
};

function reserveRefund(charge: SucceededCharge, amountMinor: number): Charge {
  const refundedMinor = charge.refundedMinor + amountMinor;
  return { ...charge, version: charge.version + 1, refundedMinor };
}

/**
 * Returns the ledger entry of a refund: a success debits the merchant, and a failure after a success credits the amount
 * back.
 */
function entryFor(after: Operation): Entry | null {
  const { id, price } = after;
  const common = { currency: price.currency, source: refundIdOf(id) };
  if (after.status === "succeeded") {
    const transfers = [transfer("refund", price.amountMinor)];
    return { ...common, id: withPrefix("txn", id), transfers };
  }
  if (after.status !== "failed" || after.failureEntry === null) return null;
  return {
    ...common,
    id: after.failureEntry,
    transfers: [transfer("refund_failure", price.amountMinor)],
  };
}

function announce(after: Operation, before: Operation, object: string, now: Date): NewEvent {
  return renderEvent({
    id: newId("evt", now),
    type: after.status === "succeeded" ? "refund.succeeded" : "refund.failed",
    scope: after.scope,
    // A failure after a success is reported by the issuer, so no request caused it.
    cause: before.status === "processing" ? after.request : null,
    objectId: refundIdOf(after.id),
    object,
  });
}
