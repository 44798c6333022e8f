import type { PendingReason } from "@florin/contract/charge.ts";
import type { DeclineCode } from "@florin/contract/declines.ts";
import type { RefundReason } from "@florin/contract/refund.ts";
import type { OperationOutcome, RejectionReason } from "../../acquiring/outcome.ts";
import type { OperationKind } from "../../acquiring/processor.ts";
import { assertNever } from "../../core/assert-never.ts";
import type { BalanceTransactionId, ChargeId, OperationId, RequestId } from "../../core/ids.ts";
import type { Money } from "../../core/money.ts";
import type { Pricing } from "../../core/pricing.ts";
import type { Scope } from "../../core/scope.ts";
import type { Transitions } from "../../core/transitions.ts";
import type { ApiResponse } from "../../platform/http/route.ts";
import type { NewEvent } from "../../webhooks/events/event.ts";
import type { Charge } from "../charges/charge.ts";
import { nextInquiry } from "../charges/inquiry-schedule.ts";
import type { Entry } from "../ledger/ledger.sql.ts";

/**
 * A capture, void or refund of an approved charge. Like a charge, it is recorded first, then sent to the acquirer with
 * its ID as the reference, and then its outcome is recorded.
 */
export type Operation =
  | (OperationBase & {
      readonly status: "processing";
      readonly pendingReason: PendingReason | null;
    })
  | (OperationBase & { readonly status: "succeeded" })
  | (OperationBase & {
      readonly status: "failed";
      readonly failureCode: DeclineCode;
      /**
       * The balance transaction that credited the amount of a refund that failed after it had succeeded. Null
       * otherwise.
       */
      readonly failureEntry: BalanceTransactionId | null;
    });

/** The transitions of an operation. A void cannot fail after it has succeeded. */
export const operationTransitions: Transitions<Operation["status"]> = {
  processing: { succeeded: "confirmed by the acquirer", failed: "rejected by the acquirer" },
  succeeded: { failed: "refund returned by the issuer, or capture failed at the acquirer" },
  failed: {},
};

export type ProcessingOperation = Extract<Operation, { status: "processing" }>;

export type OperationBase = {
  readonly id: OperationId;
  readonly scope: Scope;
  readonly kind: OperationKind;
  readonly chargeId: ChargeId;
  readonly version: number;
  readonly price: Money;
  readonly reason: RefundReason | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly request: { readonly id: RequestId; readonly idempotencyKey: string | null } | null;
  /** The acquirer's identifier of the operation. Null until the acquirer returns it. Always null for the simulator. */
  readonly acquirerReference: string | null;
  readonly inquiries: number;
};

/** The rules of one kind of operation. All functions are pure. */
export type OperationRules = {
  /**
   * Returns the amount of the operation and the charge while the operation is in progress. Throws an API error if the
   * operation is not allowed.
   */
  readonly prepare: (charge: Charge, amountMinor: number | null, now: Date) => PreparedOperation;
  /**
   * Returns the new state of the charge, the ledger entry and the events for an operation that changes from `before` to
   * `after`.
   */
  readonly applyOutcome: (
    before: Operation,
    after: Operation,
    context: OperationContext,
  ) => OperationEffect;
  /** Returns the response to the request that created the operation. */
  readonly response: (operation: Operation, charge: Charge, render: Rendering) => ApiResponse;
};

export type PreparedOperation = {
  readonly amountMinor: number;
  /**
   * The charge while the operation is in progress. Null if the charge is unchanged. For a refund, the refund's amount
   * is reserved on the charge.
   */
  readonly charge: Charge | null;
};

export type OperationContext = {
  readonly charge: Charge;
  readonly pricing: Pricing;
  readonly now: Date;
  readonly render: Rendering;
};

export type OperationEffect = {
  /** The charge after the operation: the same instance, or a new state with the version incremented by one. */
  readonly charge: Charge;
  readonly entry: Entry | null;
  readonly events: readonly NewEvent[];
};

/** Renders objects for responses. */
export type Rendering = {
  readonly charge: (charge: Charge) => string;
  readonly baseUrl: string;
};

/**
 * Applies an acquirer response to an operation. Returns null if it changes nothing. A lost response or an unsent
 * request does not end the operation, because an earlier request may be in transit. The operation is then requested
 * again with the same reference.
 */
export function applyOperationResponse(
  operation: Operation,
  response: OperationOutcome,
  failureEntry: BalanceTransactionId,
): Operation | null {
  const { status } = operation;
  const acquirerReference = acquirerReferenceOf(response) ?? operation.acquirerReference;
  const base = { ...baseOf(operation), acquirerReference };
  switch (response.kind) {
    case "done":
      return status === "processing" ? { ...base, status: "succeeded" } : null;
    case "declined": {
      const failureCode = response.code;
      if (status === "processing") {
        return { ...base, status: "failed", failureCode, failureEntry: null };
      }
      // An issuer can return a refund days later. `failCapture` records the late failure of a capture.
      const isLate = status === "succeeded" && operation.kind === "refund";
      return isLate ? { ...base, status: "failed", failureCode, failureEntry } : null;
    }
    case "pending":
      return wait({ ...operation, acquirerReference }, "acquirer_processing");
    case "rejected":
      return isTemporary(response.why) ? wait(operation, "outcome_unknown") : fail(operation);
    case "not_sent":
    case "unknown":
      return wait(operation, "outcome_unknown");
    default:
      return assertNever(response);
  }
}

function acquirerReferenceOf(response: OperationOutcome): string | null {
  return response.kind === "done" || response.kind === "pending"
    ? response.acquirerReference
    : null;
}

/**
 * Returns whether the same request can succeed later, after the operator corrects the credentials or the rate limit no
 * longer applies.
 */
function isTemporary(why: RejectionReason): boolean {
  return why === "credentials" || why === "rate_limited";
}

function fail(operation: Operation): Operation | null {
  return operation.status === "processing" ? failed(operation) : null;
}

/**
 * Returns the operation as failed. Must not be called for a refund that had succeeded, because that failure needs a
 * balance transaction.
 */
export function failed(operation: Operation): Operation {
  const failureCode = "processing_error";
  return { ...baseOf(operation), status: "failed", failureCode, failureEntry: null };
}

function wait(operation: Operation, pendingReason: PendingReason): Operation | null {
  if (operation.status !== "processing") return null;
  return { ...baseOf(operation), status: "processing", pendingReason };
}

/**
 * Applies the response to a status inquiry. After the last scheduled inquiry, an operation without an outcome moves to
 * manual review.
 */
export function applyInquiry(operation: ProcessingOperation, updated: Operation | null, now: Date) {
  const inquiries = operation.inquiries + 1;
  if (updated?.status !== "processing") return updated && { ...updated, inquiries };
  const isOver = nextInquiry(inquiries, now, 0) === null;
  return { ...updated, inquiries, ...(isOver && { pendingReason: "manual_review" as const }) };
}

/** Returns an operation in manual review with its inquiries restarted. Returns null for any other operation. */
export function restartOperationInquiries(operation: Operation): ProcessingOperation | null {
  if (operation.status !== "processing" || operation.pendingReason !== "manual_review") return null;
  const base = baseOf(operation);
  return { ...base, status: "processing", pendingReason: "outcome_unknown", inquiries: 0 };
}

function baseOf(operation: Operation): OperationBase {
  const { id, scope, kind, chargeId, price, reason, metadata, request } = operation;
  const { acquirerReference, inquiries } = operation;
  const version = operation.version + 1;
  const fields = { id, scope, kind, chargeId, version, price, reason, metadata, request };
  return { ...fields, acquirerReference, inquiries };
}
