import type { ThreeDSecure } from "@florin/contract/charge.ts";
import type { DecisionOutcome } from "@florin/contract/decision.ts";
import type { DeclineCode } from "@florin/contract/declines.ts";
import type { CardErrorCode } from "@florin/contract/errors.ts";
import type { CardChecks } from "../../acquiring/outcome.ts";
import type { ProcessorName } from "../../acquiring/processor.ts";
import type { MaskedCard } from "../../cards/payment-methods/masked-card.ts";
import type { Clock } from "../../core/clock.ts";
import {
  idFromNullableUuid,
  idFromUuid,
  uuidOf,
  uuidOfNullable,
  type VerificationId,
} from "../../core/ids.ts";
import type { Currency } from "../../core/money.ts";
import type { Scope } from "../../core/scope.ts";
import type { Database } from "../../platform/database/database.ts";
import { fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import { type Claim, claimDue, type Queue } from "../../platform/jobs/claim-due.sql.ts";
import type { DecisionDetails } from "../../risk/signals.ts";
import type {
  CardVerification,
  PendingVerification,
  ProcessingVerification,
  VerificationStatus,
} from "./card-verification.ts";

type Row = {
  account_id: string;
  livemode: boolean;
  id: string;
  checkout_session_id: string;
  customer_id: string;
  payment_method_id: string;
  status: VerificationStatus;
  currency: Currency;
  processor: ProcessorName;
  assignment_id: string | null;
  acquirer_reference: string | null;
  card: MaskedCard;
  checks: CardChecks | null;
  three_d_secure: ThreeDSecure | null;
  decision_outcome: DecisionOutcome;
  risk_score: number;
  decision_reasons: string[];
  decision_details: DecisionDetails | null;
  failure_code: CardErrorCode | null;
  decline_code: DeclineCode | null;
  network_decline_code: string | null;
  request_id: string;
  finalized_at: Date | null;
  version: number;
};

const columns = fragment`
  account_id, livemode, id, checkout_session_id, customer_id, payment_method_id, status, currency, processor,
  assignment_id, acquirer_reference, card, checks, three_d_secure, decision_outcome, risk_score, decision_reasons,
  decision_details, failure_code, decline_code, network_decline_code, request_id, finalized_at, version
`;

/**
 * Moves the session from `open` to `processing` and inserts the verification, before the acquirer is called. Returns
 * false, without writing, if the session is not open.
 */
export async function insertVerification(
  tx: Tx,
  verification: ProcessingVerification,
  dueAt: Date,
): Promise<boolean> {
  const { scope, id, risk } = verification;
  const rows = await tx`
    with entered as (
      update checkout_sessions
         set status = 'processing', attempts = attempts + 1, verification_id = ${uuidOf(id)},
             version = version + 1
       where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
         and id = ${uuidOf(verification.checkoutSessionId)} and status = 'open' and mode = 'setup'
      returning id
    )
    insert into card_verifications (
      account_id, livemode, id, checkout_session_id, customer_id, payment_method_id, status, currency, processor,
      assignment_id, card, decision_outcome, risk_score, decision_reasons, decision_details, request_id, due_at
    )
    select ${uuidOf(scope.account)}, ${scope.livemode}, ${uuidOf(id)}, entered.id,
           ${uuidOf(verification.customerId)}, ${uuidOf(verification.paymentMethodId)}, 'processing',
           ${verification.price.currency}, ${verification.processor},
           ${uuidOfNullable(verification.assignmentId)}, ${verification.card}, ${risk.outcome}, ${risk.score},
           ${[...risk.reasons]}, ${risk.details}, ${uuidOf(verification.requestId)}, ${dueAt}
      from entered
    returning id
  `;
  return rows.length === 1;
}

export async function readVerification(
  read: Sql,
  scope: Scope,
  id: VerificationId,
): Promise<CardVerification | null> {
  const [row] = await read<Row>`
    select ${columns}
      from card_verifications
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
  `;
  return row ? toVerification(row) : null;
}

/**
 * Locks the customer and the card until the verification is recorded. Returns false if the card can no longer be saved:
 * the customer was deleted, or the card was detached or is already saved.
 */
export async function lockSavableCard(
  tx: Tx,
  { scope, customerId, paymentMethodId }: CardVerification,
): Promise<boolean> {
  const customers = await tx`
    select id
      from customers
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(customerId)}
       and deleted_at is null
       for share
  `;
  const methods = await tx`
    select id
      from payment_methods
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(paymentMethodId)}
       and customer_id is null and detached_at is null and consented_at is not null
       for update
  `;
  return customers.length === 1 && methods.length === 1;
}

const dueVerifications: Queue = {
  table: fragment`card_verifications`,
  key: fragment`account_id, livemode, id`,
  dueAt: fragment`due_at`,
  waits: fragment`due_at is not null`,
};

/** Claims verifications whose process has died, and those whose cardholder has not authenticated in time. */
export async function claimDueVerifications(
  deps: { readonly database: Database; readonly clock: Clock },
  claim: Omit<Claim, "columns">,
): Promise<PendingVerification[]> {
  const rows = await claimDue<Row>(deps, dueVerifications, { ...claim, columns });
  return rows.map((row) => toVerification(row) as PendingVerification);
}

/**
 * Converts a row to a verification. The casts are safe because the table's CHECK constraints require the columns of
 * each state.
 */
function toVerification(row: Row): CardVerification {
  const base = {
    id: idFromUuid("cv", row.id),
    scope: { account: idFromUuid("acct", row.account_id), livemode: row.livemode },
    version: row.version,
    price: { amountMinor: 0, currency: row.currency },
    processor: row.processor,
    assignmentId: idFromNullableUuid("asg", row.assignment_id),
    acquirerReference: row.acquirer_reference,
    paymentMethodId: idFromUuid("pm", row.payment_method_id),
    card: row.card,
    checks: row.checks,
    threeDSecure: row.three_d_secure,
    customerId: idFromUuid("cus", row.customer_id),
    checkoutSessionId: idFromUuid("cs", row.checkout_session_id),
    risk: {
      outcome: row.decision_outcome,
      score: row.risk_score,
      reasons: row.decision_reasons,
      details: row.decision_details,
    },
    requestId: idFromUuid("req", row.request_id),
  };
  const finalizedAt = row.finalized_at as Date;
  switch (row.status) {
    case "processing":
    case "requires_action":
      return { ...base, status: row.status };
    case "succeeded":
      // The network transaction ID and the new details are stored only with the saved card, not with the verification.
      return {
        ...base,
        status: "succeeded",
        finalizedAt,
        networkTransactionId: null,
        newDetails: null,
      };
    case "failed":
      return {
        ...base,
        status: "failed",
        finalizedAt,
        failure: {
          code: row.failure_code as CardErrorCode,
          declineCode: row.decline_code as DeclineCode,
          networkDeclineCode: row.network_decline_code,
        },
      };
  }
}
