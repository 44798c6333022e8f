import { timestamp } from "./events.ts";
import { availableToCapture, availableToRefund, isApproved } from "./payment.ts";
import type { Platform } from "./platform.ts";
import type { Action, Authentication, Payment } from "./records.ts";

/** Renders the response to a payment that was decided (nas-openapi.json, schema `PaymentResponse`). */
export function paymentResponse(platform: Platform, payment: Payment, action: Action): object {
  const { response } = payment;
  return {
    id: payment.id,
    action_id: action.id,
    amount: payment.amount,
    currency: payment.currency,
    approved: isApproved(payment),
    status: payment.status,
    ...(payment.authCode !== null && { auth_code: payment.authCode }),
    response_code: response?.code,
    response_summary: response?.summary,
    ...(payment.expiresAt !== null && { expires_on: timestamp(payment.expiresAt) }),
    ...(payment.authentication && { "3ds": enrollment }),
    risk: { flagged: response?.code.startsWith("4") === true },
    source: cardSource(payment),
    ...(payment.customer && { customer: payment.customer }),
    ...(isApproved(payment) && { balances: balances(payment) }),
    processed_on: timestamp(action.processedAt ?? payment.requestedAt),
    ...(payment.reference !== null && { reference: payment.reference }),
    processing: processing(payment),
    ...(payment.eci !== null && { eci: payment.eci }),
    ...(payment.schemeId !== null && { scheme_id: payment.schemeId }),
    _links: paymentLinks(platform, payment),
  };
}

/** Renders the response to a payment without an outcome (schema `PaymentAcceptedResponse`). */
export function acceptedResponse(
  platform: Platform,
  payment: Payment,
  upgradeReason: string | null = null,
): object {
  const { redirect } = payment;
  return {
    id: payment.id,
    status: "Pending",
    ...(payment.reference !== null && { reference: payment.reference }),
    ...(payment.customer && { customer: payment.customer }),
    ...(redirect && {
      "3ds": { ...enrollment, ...(upgradeReason !== null && { upgrade_reason: upgradeReason }) },
    }),
    _links: {
      self: link(platform, `/payments/${payment.id}`),
      ...(redirect && { redirect: { href: authenticationUrl(platform, payment) } }),
    },
  };
}

/** Renders a payment (schema `PaymentDetails`). */
export function paymentDetails(platform: Platform, payment: Payment): object {
  const actions = platform
    .actionsOf(payment.id)
    .filter(({ state }) => state !== "pending")
    .map((action) => ({
      id: action.id,
      type: action.type,
      response_code: action.response?.code,
      response_summary: action.response?.summary,
    }));
  return {
    id: payment.id,
    requested_on: timestamp(payment.requestedAt),
    source: cardSource(payment),
    ...(payment.expiresAt !== null && { expires_on: timestamp(payment.expiresAt) }),
    amount: payment.amount,
    currency: payment.currency,
    payment_type: payment.paymentType,
    ...(payment.reference !== null && { reference: payment.reference }),
    status: payment.status,
    approved: isApproved(payment),
    ...(isApproved(payment) && { balances: balances(payment) }),
    ...(payment.authentication && { "3ds": authenticationData(payment.authentication) }),
    risk: { flagged: payment.response?.code.startsWith("4") === true },
    ...(payment.customer && { customer: payment.customer }),
    ...(payment.billingDescriptor && { billing_descriptor: payment.billingDescriptor }),
    ...(Object.keys(payment.metadata).length > 0 && { metadata: payment.metadata }),
    processing: processing(payment),
    ...(payment.eci !== null && { eci: payment.eci }),
    ...(payment.schemeId !== null && { scheme_id: payment.schemeId }),
    actions: actions.reverse(),
    _links: paymentLinks(platform, payment),
  };
}

/** Renders an action that was processed (schema `PaymentAction`). */
export function paymentAction(payment: Payment, action: Action): object {
  const isAuthorization = action.type === "Authorization" || action.type === "Card Verification";
  return {
    id: action.id,
    type: action.type,
    processed_on: timestamp(action.processedAt ?? action.requestedAt),
    amount: action.amount,
    approved: action.state === "approved",
    ...(isAuthorization && payment.authCode !== null && { auth_code: payment.authCode }),
    response_code: action.response?.code,
    response_summary: action.response?.summary,
    ...(isAuthorization && { authorization_type: "Final" }),
    ...(action.reference !== null && { reference: action.reference }),
    processing: isAuthorization ? processing(payment) : actionProcessing(payment, action),
    ...(Object.keys(action.metadata).length > 0 && { metadata: action.metadata }),
  };
}

/** Renders the response to an accepted capture, void or refund (schema `CaptureAcceptedResponse`). */
export function actionAccepted(platform: Platform, action: Action): object {
  return {
    action_id: action.id,
    ...(action.reference !== null && { reference: action.reference }),
    _links: { payment: link(platform, `/payments/${action.payment}`) },
  };
}

/** Returns the URL of the page on which the cardholder authenticates. */
export function authenticationUrl(platform: Platform, { redirect }: Payment): string {
  return `${platform.baseUrl}/3ds/${redirect?.session}`;
}

const enrollment = { downgraded: false, enrolled: "Y" };

function authenticationData(authentication: Authentication): object {
  const { result, cryptogram, xid, version, exemption } = authentication;
  return {
    ...enrollment,
    ...(result !== null && { authentication_response: result }),
    ...(cryptogram !== null && { cryptogram }),
    ...(xid !== null && { xid }),
    ...(version !== null && { version }),
    ...(exemption !== null && { exemption }),
  };
}

/** Renders a card (schema `PaymentResponseCardSource`). */
function cardSource({ card, response }: Payment): object {
  const update = response?.accountUpdate ?? null;
  return {
    type: "card",
    id: card.id,
    ...(card.billingAddress && { billing_address: card.billingAddress }),
    expiry_month: update?.expiryMonth ?? card.expiryMonth,
    expiry_year: update?.expiryYear ?? card.expiryYear,
    ...(update && { account_update_status: update.status }),
    ...(card.name !== null && { name: card.name }),
    scheme: card.scheme,
    last4: card.last4,
    fingerprint: card.fingerprint,
    bin: card.bin,
    card_type: "Credit",
    card_category: "Consumer",
    issuer_country: "GB",
    product_type: "CLASSIC",
    ...(card.avsCheck !== null && { avs_check: card.avsCheck }),
    ...(card.cvvCheck !== null && { cvv_check: card.cvvCheck }),
  };
}

/**
 * Renders the balances in the form in which events contain them. The schema `PaymentResponseBalances` requires an `id`,
 * but has no such property.
 */
export function balances(payment: Payment): object {
  return {
    total_authorized: payment.authorized,
    total_voided: payment.voided,
    available_to_void: availableToCapture(payment),
    total_captured: payment.captured,
    available_to_capture: availableToCapture(payment),
    total_refunded: payment.refunded,
    available_to_refund: availableToRefund(payment),
  };
}

/** `partner_merchant_advice_code` is the advice of Mastercard (event `payment_approved`, data.processing). */
function processing(payment: Payment): object {
  const advice = payment.response?.merchantAdviceCode ?? null;
  return {
    retrieval_reference_number: payment.retrievalReferenceNumber,
    acquirer_transaction_id: payment.acquirerTransactionId,
    ...(advice !== null && { partner_merchant_advice_code: advice }),
  };
}

function actionProcessing(payment: Payment, action: Action): object {
  return {
    acquirer_transaction_id: payment.acquirerTransactionId,
    ...(action.acquirerReferenceNumber !== null && {
      acquirer_reference_number: action.acquirerReferenceNumber,
    }),
  };
}

function link(platform: Platform, path: string): { readonly href: string } {
  return { href: platform.baseUrl + path };
}

/** Returns the links of a payment, including those of the actions that are possible now. */
function paymentLinks(platform: Platform, payment: Payment): object {
  const links = Object.entries(paymentUrls(platform, payment)).map(([name, href]) => [
    name === "payment" ? "self" : name === "payment_actions" ? "actions" : name,
    { href },
  ]);
  return Object.fromEntries(links);
}

function paymentUrls(platform: Platform, payment: Payment): Readonly<Record<string, string>> {
  const url = `${platform.baseUrl}/payments/${payment.id}`;
  return {
    payment: url,
    payment_actions: `${url}/actions`,
    ...(availableToCapture(payment) > 0 && { capture: `${url}/captures`, void: `${url}/voids` }),
    ...(availableToRefund(payment) > 0 && { refund: `${url}/refunds` }),
  };
}

/** Returns the data of an event about an authorization (event types `payment_approved` and `payment_declined`). */
export function authorizationEventData(
  platform: Platform,
  payment: Payment,
  action: Action,
): object {
  const { response } = payment;
  const { last4, ...source } = cardSource(payment) as { last4: string } & Record<string, unknown>;
  return {
    id: payment.id,
    action_id: action.id,
    ...(payment.reference !== null && { reference: payment.reference }),
    amount: payment.amount,
    ...(payment.authCode !== null && { auth_code: payment.authCode }),
    currency: payment.currency,
    ...(payment.customer && { customer: payment.customer }),
    metadata: payment.metadata,
    payment_type: payment.paymentType,
    processed_on: timestamp(action.processedAt ?? payment.requestedAt),
    processing: processing(payment),
    ...(payment.authentication && {
      "3ds": {
        ...authenticationData(payment.authentication),
        ...(payment.authentication.eci !== null && { eci: payment.authentication.eci }),
      },
    }),
    response_code: response?.code,
    response_summary: response?.summary,
    risk: { flagged: response?.code.startsWith("4") === true },
    ...(payment.schemeId !== null && { scheme_id: payment.schemeId }),
    source: { ...source, last_4: last4 },
    event_links: paymentUrls(platform, payment),
  };
}

/** Returns the data of an event about a capture, void or refund (event types `payment_captured` and others). */
export function actionEventData(platform: Platform, payment: Payment, action: Action): object {
  return {
    id: payment.id,
    action_id: action.id,
    ...(action.reference !== null && { reference: action.reference }),
    amount: action.amount,
    processed_on: timestamp(action.processedAt ?? action.requestedAt),
    response_code: action.response?.code,
    response_summary: action.response?.summary,
    balances: balances(payment),
    metadata: action.metadata,
    currency: payment.currency,
    processing: actionProcessing(payment, action),
    event_links: paymentUrls(platform, payment),
  };
}

/** Returns the links of an event about a payment. */
export function eventLinks(platform: Platform, payment: Payment): Readonly<Record<string, string>> {
  return paymentUrls(platform, payment);
}
