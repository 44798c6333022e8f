import type { Charge as ChargeObject } from "@florin/contract/charge.ts";
import { declineCodes } from "@florin/contract/declines.ts";
import type { CardChecks } from "../../acquiring/outcome.ts";
import { unixSeconds } from "../../core/clock.ts";
import { createdAt } from "../../core/ids.ts";
import { riskLevel } from "../../risk/risk-level.ts";
import { challengeUrl, type Links } from "../sessions/client-urls.ts";
import { balanceTransactionIdOf, type Charge, decisionIdOf } from "./charge.ts";
import { challengeExpiry } from "./inquiry-schedule.ts";

/**
 * Returns the charge as an API object. `next_action` contains a challenge URL, whose secret allows its holder to
 * complete or cancel the challenge. The URL is therefore null if `links` is null: in events, and for callers without
 * `payments:write`.
 */
export function chargeObject(charge: Charge, links: Links | null): ChargeObject {
  const failure = charge.status === "failed" ? charge.failure : null;
  const failureEntry = charge.status === "failed" ? charge.failureEntry : null;
  const decline = failure && declineCodes[failure.declineCode];
  const capturedMinor = charge.status === "succeeded" ? charge.capturedMinor : 0;
  const refundedMinor = charge.status === "succeeded" ? charge.refundedMinor : 0;
  const disputedMinor = charge.status === "succeeded" ? charge.disputedMinor : 0;
  return {
    id: charge.id,
    object: "charge",
    livemode: charge.scope.livemode,
    created: unixSeconds(createdAt(charge.id)),
    version: charge.version,
    amount: charge.price.amountMinor,
    amount_captured: capturedMinor,
    amount_refunded: refundedMinor,
    amount_disputed: disputedMinor,
    currency: charge.price.currency,
    status: charge.status,
    pending_reason:
      charge.status === "processing" || charge.status === "authorized"
        ? charge.pendingReason
        : null,
    reversal_pending: charge.status === "processing" && charge.reversalPending,
    capture_method: charge.captureMethod,
    capture_before: charge.status === "authorized" ? unixSeconds(charge.captureBefore) : null,
    customer_id: charge.customerId,
    payment_method_id: charge.paymentMethodId,
    payment_method_details: {
      type: "card",
      card: {
        ...charge.card,
        checks: checksObject(charge.checks),
        three_d_secure: charge.threeDSecure,
      },
    },
    decision_id: decisionIdOf(charge),
    checkout_session_id: charge.checkoutSessionId,
    client_reference_id: charge.clientReferenceId,
    description: charge.description,
    statement_descriptor: charge.statementDescriptor,
    off_session: charge.offSession,
    return_url: charge.returnUrl,
    metadata: charge.metadata,
    failure_code: failure?.code ?? null,
    failure_message: decline?.customerMessage ?? null,
    decline_code: failure?.declineCode ?? null,
    outcome: {
      network_status: networkStatus(charge),
      risk_level: riskLevel(charge.risk.score),
      risk_score: charge.risk.score,
      decision: charge.risk.outcome,
      reasons: [...charge.risk.reasons],
      matched_rules: [...(charge.risk.details?.matched_rules ?? [])],
      reason: failure?.declineCode ?? holdReason(charge),
      advice_code: decline?.adviceCode ?? null,
      network_decline_code: failure?.networkDeclineCode ?? null,
    },
    refunded: capturedMinor > 0 && refundedMinor === capturedMinor,
    disputed: disputedMinor > 0,
    next_action:
      charge.status === "requires_action"
        ? {
            type: "redirect",
            url: links && challengeUrl(links, charge),
            expires_at: unixSeconds(challengeExpiry(charge.id)),
          }
        : null,
    balance_transaction_id:
      charge.status === "succeeded" || failureEntry ? balanceTransactionIdOf(charge.id) : null,
    failure_balance_transaction_id: failureEntry,
  };
}

function checksObject(checks: CardChecks | null) {
  return {
    cvc_check: checks?.cvcCheck ?? null,
    address_line1_check: checks?.addressLine1Check ?? null,
    address_postal_code_check: checks?.addressPostalCodeCheck ?? null,
  };
}

/** Returns the main reason why the risk decision did not approve the charge, or null if the decision approved it. */
function holdReason({ risk }: Charge): string | null {
  return risk.outcome === "approve" ? null : (risk.reasons[0] ?? null);
}

function networkStatus(charge: Charge) {
  switch (charge.status) {
    case "succeeded":
    case "authorized":
      return "approved_by_network";
    case "canceled":
      return charge.checks === null ? "not_sent_to_network" : "approved_by_network";
    case "failed":
      if (charge.failureEntry) return "approved_by_network";
      return charge.checks === null ? "not_sent_to_network" : "declined_by_network";
    case "requires_action":
      return "not_sent_to_network";
    case "processing":
      return null;
  }
}
