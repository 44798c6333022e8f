import type { CaptureMethod, PendingReason, ThreeDSecure } from "@florin/contract/charge.ts";
import type { DecisionOutcome } from "@florin/contract/decision.ts";
import type { DeclineCode } from "@florin/contract/declines.ts";
import type { CardErrorCode } from "@florin/contract/errors.ts";
import type { CardChecks } from "../../acquiring/outcome.ts";
import type { ProcessorName } from "../../acquiring/processor.ts";
import type { MaskedCard } from "../../cards/payment-methods/masked-card.ts";
import { paymentMethodIdFromUuid } from "../../cards/payment-methods/payment-method-id.ts";
import { assertNever } from "../../core/assert-never.ts";
import { idFromNullableUuid, idFromUuid } from "../../core/ids.ts";
import type { Currency } from "../../core/money.ts";
import type { DecisionDetails } from "../../risk/signals.ts";
import type { Change, ChargeAmounts } from "../commit/transition.ts";
import type {
  AcquirerDetails,
  Charge,
  ChargeBase,
  ChargeStatus,
  ProcessingCharge,
} from "./charge.ts";

export type ChargeRow = {
  account_id: string;
  livemode: boolean;
  id: string;
  status: ChargeStatus;
  pending_reason: PendingReason | null;
  reversal_pending: boolean;
  version: number;
  amount: number;
  amount_captured: number;
  amount_refunded: number;
  amount_disputed: number;
  currency: Currency;
  capture_method: CaptureMethod;
  capture_before: Date | null;
  processor: ProcessorName;
  assignment_id: string | null;
  acquirer_reference: string | null;
  acquirer_details: AcquirerDetails | null;
  payment_method_id: string;
  card: MaskedCard;
  checks: CardChecks | null;
  three_d_secure: ThreeDSecure | null;
  customer_id: string | null;
  checkout_session_id: string | null;
  decision_id: string | null;
  decision_outcome: DecisionOutcome;
  risk_score: number;
  decision_reasons: string[];
  decision_details: DecisionDetails | null;
  client_reference_id: string | null;
  description: string | null;
  statement_descriptor: string | null;
  off_session: boolean;
  return_url: string | null;
  metadata: Record<string, string>;
  failure_code: CardErrorCode | null;
  decline_code: DeclineCode | null;
  network_decline_code: string | null;
  failure_unconfirmed: boolean;
  failure_entry_id: string | null;
  request_id: string | null;
  idempotency_key: string | null;
  inquiries: number;
  inquiry_restarts: number;
  finalized_at: Date | null;
};

/**
 * Converts a row to a charge. The casts are safe because the table's CHECK constraints require the columns of each
 * state.
 */
export function toCharge(row: ChargeRow): Charge {
  const base = baseOf(row);
  switch (row.status) {
    case "processing":
      return {
        ...base,
        status: "processing",
        pendingReason: row.pending_reason,
        reversalPending: row.reversal_pending,
      };
    case "requires_action":
      return { ...base, status: "requires_action" };
    case "authorized":
      return {
        ...base,
        status: "authorized",
        finalizedAt: row.finalized_at as Date,
        captureBefore: row.capture_before as Date,
        pendingReason: row.pending_reason,
      };
    case "succeeded":
      return {
        ...base,
        status: "succeeded",
        finalizedAt: row.finalized_at as Date,
        capturedMinor: row.amount_captured,
        refundedMinor: row.amount_refunded,
        disputedMinor: row.amount_disputed,
      };
    case "failed":
      return {
        ...base,
        status: "failed",
        finalizedAt: row.finalized_at as Date,
        failure: {
          code: row.failure_code as CardErrorCode,
          declineCode: row.decline_code as DeclineCode,
          networkDeclineCode: row.network_decline_code,
        },
        unconfirmed: row.failure_unconfirmed,
        failureEntry: idFromNullableUuid("txn", row.failure_entry_id),
      };
    case "canceled":
      return { ...base, status: "canceled", finalizedAt: row.finalized_at as Date };
    default:
      return assertNever(row.status);
  }
}

function baseOf(row: ChargeRow): ChargeBase {
  return {
    id: idFromUuid("ch", row.id),
    scope: { account: idFromUuid("acct", row.account_id), livemode: row.livemode },
    version: row.version,
    price: { amountMinor: row.amount, currency: row.currency },
    captureMethod: row.capture_method,
    processor: row.processor,
    assignmentId: idFromNullableUuid("asg", row.assignment_id),
    acquirerReference: row.acquirer_reference,
    acquirerDetails: row.acquirer_details,
    paymentMethodId: paymentMethodIdFromUuid(row.payment_method_id),
    card: row.card,
    checks: row.checks,
    threeDSecure: row.three_d_secure,
    networkTransactionId: null,
    newDetails: null,
    customerId: idFromNullableUuid("cus", row.customer_id),
    checkoutSessionId: idFromNullableUuid("cs", row.checkout_session_id),
    decisionId: idFromNullableUuid("dec", row.decision_id),
    risk: {
      outcome: row.decision_outcome,
      score: row.risk_score,
      reasons: row.decision_reasons,
      details: row.decision_details,
    },
    clientReferenceId: row.client_reference_id,
    description: row.description,
    statementDescriptor: row.statement_descriptor,
    offSession: row.off_session,
    returnUrl: row.return_url,
    metadata: row.metadata,
    request:
      row.request_id === null
        ? null
        : { id: idFromUuid("req", row.request_id), idempotencyKey: row.idempotency_key },
    inquiries: row.inquiries,
    inquiryRestarts: row.inquiry_restarts,
  };
}

/** Returns the columns of the charge that the transition of an operation or dispute writes. */
export function amountsOf(charge: Charge): ChargeAmounts {
  const paid = charge.status === "succeeded" ? charge : null;
  return {
    id: charge.id,
    version: charge.version,
    row: {
      status: charge.status,
      pending_reason: charge.status === "authorized" ? charge.pendingReason : null,
      amount_captured: paid?.capturedMinor ?? 0,
      amount_refunded: paid?.refundedMinor ?? 0,
      amount_disputed: paid?.disputedMinor ?? 0,
      finalized_at: "finalizedAt" in charge ? charge.finalizedAt : null,
    },
  };
}

/** Returns the change that moves a charge to another assignment. */
export function assignmentOf(
  { id, version, processor, assignmentId }: ProcessingCharge,
  dueAt: Date | null,
): Change<"chargeAssignment"> {
  const row = { processor, assignment_id: assignmentId, due_at: dueAt };
  return { kind: "chargeAssignment", id, version, row };
}

/** Returns the change that writes the charge fields that a merchant may update. */
export function detailsOf(charge: Charge): Change<"chargeDetails"> {
  const { id, version, description, metadata } = charge;
  return { kind: "chargeDetails", id, version, row: { description, metadata } };
}
