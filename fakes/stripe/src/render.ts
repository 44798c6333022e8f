import type Stripe from "stripe";
import type {
  Account,
  BalanceTransaction,
  Card,
  Charge,
  Dispute,
  File,
  Intent,
  PaymentError,
  Payout,
  Refund,
  SetupIntent,
  Token,
} from "./records.ts";

/** The version of the API whose objects the fake returns. The `stripe` package has types for the same version. */
export const apiVersion = "2026-10-28.endive";

/**
 * Renders the records as the API's objects. The types are those of the official package, so that the compiler rejects a
 * field that the API does not have.
 */
export function renderIntent(
  intent: Intent,
  charge: Charge | null,
  livemode: boolean,
  expandsCharge: boolean,
  redirectUrl: string | null,
): Partial<Stripe.PaymentIntent> {
  return {
    id: intent.id,
    object: "payment_intent",
    amount: intent.amount,
    amount_capturable: intent.status === "requires_capture" ? intent.amount : 0,
    amount_received: intent.amountReceived,
    canceled_at: intent.canceledAt,
    cancellation_reason: null,
    capture_method: intent.captureMethod,
    client_secret: intent.clientSecret,
    confirmation_method: intent.confirmationMethod,
    created: intent.created,
    currency: intent.currency,
    customer: null,
    description: null,
    last_payment_error: intent.lastPaymentError && lastPaymentErrorOf(intent.lastPaymentError),
    latest_charge:
      charge && expandsCharge
        ? (renderCharge(charge, livemode) as Stripe.Charge)
        : intent.latestCharge,
    livemode,
    metadata: { ...intent.metadata },
    next_action: nextActionOf(intent, redirectUrl),
    payment_method_types: ["card"],
    receipt_email: null,
    setup_future_usage: intent.setupFutureUsage,
    statement_descriptor: null,
    statement_descriptor_suffix: intent.statementDescriptorSuffix,
    status: intent.status,
  };
}

export function renderSetupIntent(
  intent: SetupIntent,
  livemode: boolean,
  expandsAttempt: boolean,
  redirectUrl: string | null,
): Partial<Stripe.SetupIntent> {
  return {
    id: intent.id,
    object: "setup_intent",
    client_secret: intent.clientSecret,
    created: intent.created,
    customer: null,
    description: null,
    last_setup_error: intent.lastSetupError && lastPaymentErrorOf(intent.lastSetupError),
    latest_attempt: expandsAttempt
      ? (renderSetupAttempt(intent, livemode) as Stripe.SetupAttempt)
      : intent.attempt,
    livemode,
    metadata: { ...intent.metadata },
    next_action: nextActionOf(intent, redirectUrl),
    payment_method_types: ["card"],
    status: intent.status,
    usage: intent.usage,
  };
}

/** Returns the redirect to the page where the cardholder authenticates, or null if none is required. */
function nextActionOf({ status, redirect }: Intent | SetupIntent, url: string | null) {
  if (status !== "requires_action" || redirect === null || url === null) return null;
  return {
    type: "redirect_to_url",
    redirect_to_url: { url, return_url: redirect.returnUrl },
  };
}

/** Renders the attempt. Its card has no network transaction ID (docs.stripe.com/api/setup_attempts/object). */
function renderSetupAttempt(intent: SetupIntent, livemode: boolean): Partial<Stripe.SetupAttempt> {
  const { card, isAuthenticated } = intent;
  return {
    id: intent.attempt,
    object: "setup_attempt",
    created: intent.created,
    livemode,
    payment_method_details: {
      type: "card",
      card: {
        brand: card.brand,
        checks: checksOf(card),
        country: "US",
        exp_month: card.expMonth,
        exp_year: card.expYear,
        funding: "credit",
        last4: card.last4,
        network: card.brand,
        three_d_secure: isAuthenticated
          ? ({ result: "authenticated", version: "2.2.0" } as SetupCard["three_d_secure"])
          : null,
        wallet: null,
      },
    },
    setup_intent: intent.id,
    status: intent.status,
    usage: intent.usage,
  };
}

type SetupCard = Stripe.SetupAttempt.PaymentMethodDetails.Card;

function lastPaymentErrorOf(error: PaymentError) {
  return { ...errorFields(error), type: "card_error" as const };
}

/** Returns the fields of a declined payment, which the response and `last_payment_error` share. */
export function errorFields(error: PaymentError) {
  return {
    code: error.code,
    message: error.message,
    ...(error.charge !== null && { charge: error.charge }),
    ...(error.declineCode !== null && { decline_code: error.declineCode }),
    ...(error.networkDeclineCode !== null && { network_decline_code: error.networkDeclineCode }),
    ...(error.networkAdviceCode !== null && { network_advice_code: error.networkAdviceCode }),
    ...(error.adviceCode !== null && { advice_code: error.adviceCode }),
  };
}

export function renderCharge(charge: Charge, livemode: boolean): Partial<Stripe.Charge> {
  const { error } = charge;
  return {
    id: charge.id,
    object: "charge",
    amount: charge.amount,
    amount_captured: charge.amountCaptured,
    amount_refunded: charge.amountRefunded,
    balance_transaction: charge.balanceTransaction,
    ...(charge.authorizationCode !== null && { authorization_code: charge.authorizationCode }),
    captured: charge.captured,
    created: charge.created,
    currency: charge.currency,
    disputed: charge.disputed,
    failure_code: error?.code ?? null,
    failure_message: error?.message ?? null,
    livemode,
    metadata: { ...charge.metadata },
    outcome: {
      type: error === null ? "authorized" : "issuer_declined",
      network_status: error === null ? "approved_by_network" : "declined_by_network",
      reason: error?.declineCode ?? null,
      risk_level: "normal",
      seller_message: error === null ? "Payment complete." : error.message,
      advice_code: error?.adviceCode ?? null,
      network_advice_code: error?.networkAdviceCode ?? null,
      network_decline_code: error?.networkDeclineCode ?? null,
    },
    paid: error === null,
    payment_intent: charge.intent,
    payment_method_details: {
      type: "card",
      card: cardDetails(charge.card, charge) as Stripe.Charge.PaymentMethodDetails.Card,
    },
    refunded: charge.amountCaptured > 0 && charge.amountRefunded === charge.amountCaptured,
    status: charge.status,
  };
}

function cardDetails(card: Card, charge: Charge): Partial<Stripe.Charge.PaymentMethodDetails.Card> {
  return {
    brand: card.brand,
    checks: checksOf(card),
    country: "US",
    exp_month: card.expMonth,
    exp_year: card.expYear,
    fingerprint: null,
    funding: "credit",
    last4: card.last4,
    network: card.brand,
    network_transaction_id: charge.networkTransactionId,
    three_d_secure:
      charge.authentication === null
        ? null
        : ({
            authentication_flow: charge.authentication === "own" ? "challenge" : null,
            electronic_commerce_indicator: charge.electronicCommerceIndicator,
            result: "authenticated",
            version: "2.2.0",
          } as Stripe.Charge.PaymentMethodDetails.Card.ThreeDSecure),
    wallet: card.wallet && { type: "google_pay", dynamic_last4: card.last4, google_pay: {} },
  };
}

export function renderToken(token: Token, livemode: boolean): Partial<Stripe.Token> {
  const { card } = token;
  return {
    id: token.id,
    object: "token",
    card: {
      id: token.id.replace("tok_", "card_"),
      object: "card",
      address_line1_check: null,
      address_zip_check: null,
      brand: card.brand,
      country: "US",
      cvc_check: null,
      dynamic_last4: card.wallet ? card.last4 : null,
      exp_month: card.expMonth,
      exp_year: card.expYear,
      funding: "credit",
      last4: card.last4,
      tokenization_method: token.tokenizationMethod,
    } as Stripe.Card,
    client_ip: null,
    created: token.created,
    livemode,
    type: "card",
    used: token.used,
  };
}

function checksOf({ behavior: { checks }, ...card }: Card) {
  return {
    address_line1_check: card.hasLine1 ? checks.line1 : null,
    address_postal_code_check: card.hasPostalCode ? checks.postalCode : null,
    cvc_check: card.hasCvc ? checks.cvc : null,
  };
}

export function renderRefund(refund: Refund): Partial<Stripe.Refund> {
  return {
    id: refund.id,
    object: "refund",
    amount: refund.amount,
    balance_transaction: refund.balanceTransaction,
    charge: refund.charge,
    created: refund.created,
    currency: refund.currency,
    ...(refund.failureReason !== null && { failure_reason: refund.failureReason }),
    ...(refund.failureBalanceTransaction !== null && {
      failure_balance_transaction: refund.failureBalanceTransaction,
    }),
    metadata: { ...refund.metadata },
    payment_intent: refund.intent,
    reason: null,
    status: refund.status,
  };
}

export function renderDispute(dispute: Dispute, livemode: boolean): Partial<Stripe.Dispute> {
  return {
    id: dispute.id,
    object: "dispute",
    amount: dispute.amount,
    charge: dispute.charge,
    created: dispute.created,
    currency: dispute.currency,
    evidence: { ...dispute.evidence } as unknown as Stripe.Dispute.Evidence,
    evidence_details: {
      due_by: dispute.dueBy,
      has_evidence: Object.keys(dispute.evidence).length > 0,
      past_due: false,
      submission_count: Object.keys(dispute.evidence).length > 0 ? 1 : 0,
    } as Stripe.Dispute.EvidenceDetails,
    is_charge_refundable: false,
    livemode,
    // A dispute has its own metadata, and not that of the payment.
    metadata: {},
    network_reason_code: dispute.networkReasonCode,
    payment_intent: dispute.intent,
    reason: dispute.reason,
    status: dispute.status,
  };
}

export function renderPayout(payout: Payout, livemode: boolean): Partial<Stripe.Payout> {
  return {
    id: payout.id,
    object: "payout",
    amount: payout.amount,
    arrival_date: payout.created,
    automatic: true,
    balance_transaction: payout.balanceTransaction,
    created: payout.created,
    currency: payout.currency,
    livemode,
    method: "standard",
    reconciliation_status: "completed",
    status: payout.status,
    type: "bank_account",
  };
}

export function renderBalanceTransaction(
  transaction: BalanceTransaction,
  source: string | object,
): Partial<Stripe.BalanceTransaction> {
  return {
    id: transaction.id,
    object: "balance_transaction",
    amount: transaction.amount,
    available_on: transaction.created,
    created: transaction.created,
    currency: transaction.currency,
    description: null,
    exchange_rate: null,
    fee: transaction.fee,
    fee_details:
      transaction.fee === 0
        ? []
        : [
            {
              amount: transaction.fee,
              application: null,
              currency: transaction.currency,
              description: "Stripe processing fees",
              type: "stripe_fee",
            },
          ],
    net: transaction.net,
    reporting_category: transaction.reportingCategory,
    source: source as Stripe.BalanceTransaction["source"],
    status: "available",
    type: transaction.type,
  };
}

export function renderFile(file: File): Partial<Stripe.File> {
  return {
    id: file.id,
    object: "file",
    created: file.created,
    purpose: file.purpose,
    size: file.content.length,
    type: file.type,
  };
}

export function renderEvent(
  account: Account,
  event: {
    readonly id: string;
    readonly type: string;
    readonly object: object;
    readonly created: number;
  },
): string {
  return JSON.stringify({
    id: event.id,
    object: "event",
    api_version: apiVersion,
    // Only events of connected accounts name their account (docs.stripe.com/connect/webhooks).
    ...(account.platform !== null && { account: account.id }),
    created: event.created,
    data: { object: event.object },
    livemode: account.livemode,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type: event.type,
  });
}
