import assert from "node:assert/strict";
import type { AttemptId, ChargeId, OperationId } from "../../core/ids.ts";
import type { Money } from "../../core/money.ts";
import { CardPlaceholder, type PreparedJson } from "../card-placeholder.ts";
import { idempotencyKey, type KeyedConnection } from "../idempotency-key.ts";
import { amountNotRepresentable, type Rejected } from "../outcome.ts";
import type { AuthenticationData, CredentialUse, Payer } from "../processor.ts";
import { present, safeReference } from "../request-fields.ts";
import { toStripeAmount } from "./currencies.ts";

/**
 * Builds the requests of Stripe's API. Fields and limits: the types of the official package `stripe` 23.1.0, which are
 * generated from Stripe's OpenAPI document of this version. No function here handles card data: bodies contain
 * placeholders.
 */
export const apiVersion = "2026-10-28.endive";

export const apiOrigin = "https://api.stripe.com";
/** Files have their own host (docs.stripe.com/api/files/create). */
export const filesOrigin = "https://files.stripe.com";

/** The metadata keys under which Stripe's objects contain our references. */
export const chargeKey = "florin_charge";
export const operationKey = "florin_operation";

export type StripeRequest = {
  readonly method: "GET" | "POST";
  /** The path with the query. */
  readonly path: string;
  /** Null for a GET. */
  readonly idempotencyKey: string | null;
  readonly body: { readonly [key: string]: PreparedJson } | null;
  /** A shorter response timeout that replaces the client's. */
  readonly timeoutMs?: number;
};

/** The terms of a payment, from which the first request is built again for an inquiry. */
export type PaymentTerms = {
  readonly reference: ChargeId;
  readonly price: Money;
  /** True to capture with the authorization, false to capture later. */
  readonly capture: boolean;
  /** The text for the bank statement. Null uses the text of the account. */
  readonly descriptor: string | null;
};

/**
 * Returns the request that creates the payment without a card. It moves no money, so it can be sent again at any time.
 * Within 24 hours Stripe returns the payment of the first request, so the request also serves as the status inquiry by
 * our reference. The payment can be confirmed only with the secret key. The client secret must not suffice, because the
 * cardholder's browser receives it in the return URL of 3-D Secure.
 */
export function createRequest(
  connection: KeyedConnection,
  { reference, price, capture, descriptor }: PaymentTerms,
): StripeRequest | Rejected {
  const amount = toStripeAmount(price);
  if (amount === null) return amountNotRepresentable;
  const suffix = descriptorSuffix(descriptor);
  return post("/v1/payment_intents", idempotencyKey(connection, "create", reference), {
    ...amount,
    capture_method: capture ? "automatic" : "manual",
    confirmation_method: "manual",
    allowed_payment_method_types: ["card"],
    metadata: { [chargeKey]: safeReference(reference) },
    ...(suffix === null ? {} : { statement_descriptor_suffix: suffix }),
  });
}

/**
 * Returns the text that Stripe appends to the account's prefix. Stripe does not allow `< > \ ' " *`, and requires a
 * letter (docs.stripe.com/get-started/account/statement-descriptors).
 */
function descriptorSuffix(descriptor: string | null): string | null {
  const text = (descriptor ?? "")
    .normalize("NFKD")
    .replaceAll(/[^a-zA-Z0-9 .,_\-?+/]/g, "")
    .slice(0, 22)
    .trim();
  return /[A-Za-z]/.test(text) ? text : null;
}

export type Confirmation = {
  readonly reference: ChargeId;
  readonly hasSecurityCode: boolean;
  readonly use: CredentialUse;
  /** The 3-D Secure result of another provider. */
  readonly authentication: AuthenticationData | null;
  /** Set if Stripe may redirect the cardholder. */
  readonly redirect: { readonly returnUrl: string; readonly required: boolean } | null;
  readonly payer: Payer;
  readonly network: string | null;
};

/** Returns the request that charges the card. Its response contains the charge. */
export function confirmRequest(
  connection: KeyedConnection,
  paymentIntent: string,
  confirmation: Confirmation,
): StripeRequest {
  const { redirect, use } = confirmation;
  const isAbsent = use.kind === "saved" && use.initiatedBy === "merchant";
  const key = idempotencyKey(connection, "confirm", confirmation.reference);
  return post(`/v1/payment_intents/${safeId("pi", paymentIntent)}/confirm`, key, {
    payment_method_data: paymentMethodData(confirmation),
    payment_method_options: { card: cardOptions(confirmation) },
    ...(redirect === null
      ? { error_on_requires_action: "true" }
      : { return_url: redirect.returnUrl }),
    // Stripe stores no card for us. The parameter only tells the issuer that we store the card.
    ...(use.kind === "to_be_saved" ? { setup_future_usage: "off_session" } : {}),
    ...(isAbsent ? { off_session: "true" } : {}),
    expand: ["latest_charge"],
  });
}

/**
 * Returns the request that charges a Google Pay token. The card form accepts only tokens of customers whom the device
 * has authenticated, so Stripe must not redirect. `card[token]` is the field for tokens
 * (docs.stripe.com/api/payment_methods/create).
 */
export function confirmTokenRequest(
  connection: KeyedConnection,
  paymentIntent: string,
  { reference, payer }: Pick<Confirmation, "reference" | "payer">,
): StripeRequest {
  const path = `/v1/payment_intents/${safeId("pi", paymentIntent)}/confirm`;
  return post(path, idempotencyKey(connection, "confirm", reference), {
    payment_method_data: {
      type: "card",
      card: { token: new CardPlaceholder("gatewayToken") },
      billing_details: billingDetails(payer),
    },
    error_on_requires_action: "true",
    expand: ["latest_charge"],
  });
}

/** Returns the card with the payer's billing details. */
export function paymentMethodData({
  payer,
  hasSecurityCode,
}: Pick<Confirmation, "payer" | "hasSecurityCode">) {
  return {
    type: "card",
    card: {
      number: new CardPlaceholder("number"),
      exp_month: new CardPlaceholder("expiryMonth"),
      exp_year: new CardPlaceholder("expiryYear"),
      ...(hasSecurityCode ? { cvc: new CardPlaceholder("securityCode") } : {}),
    },
    billing_details: billingDetails(payer),
  };
}

/**
 * Returns the card options: the external 3-D Secure result, the request for Stripe's own 3-D Secure, and the earlier
 * payment of a stored card. `mit_exemption` is not in the public types. Stripe enables it for accounts that store cards
 * themselves (public source of the field: activemerchant, `stripe_payment_intents.rb`).
 */
export function cardOptions({
  authentication,
  redirect,
  use,
  network,
}: Omit<Confirmation, "reference">) {
  const networkTransactionId = use.kind === "saved" ? use.networkTransactionId : null;
  return {
    ...(authentication?.authenticationValue
      ? {
          three_d_secure: {
            version: authentication.version,
            cryptogram: authentication.authenticationValue,
            transaction_id: authentication.dsTransactionId,
            ares_trans_status: authentication.transStatus,
            ...(authentication.eci === null
              ? {}
              : { electronic_commerce_indicator: authentication.eci }),
          },
        }
      : {}),
    ...(redirect === null
      ? {}
      : { request_three_d_secure: redirect.required ? "any" : "automatic" }),
    ...(networkTransactionId === null
      ? {}
      : { mit_exemption: { network_transaction_id: networkTransactionId } }),
    ...(network === null ? {} : { network }),
  };
}

/** Returns the payer's data, without unknown fields. */
function billingDetails({ name, email, phone, address }: Payer): PreparedJson {
  return {
    ...present("name", name),
    ...present("email", email),
    ...present("phone", phone),
    ...(address === null
      ? {}
      : {
          address: {
            ...present("line1", address.line1),
            ...present("city", address.city),
            ...present("state", address.state),
            ...present("postal_code", address.postalCode),
            ...present("country", address.country),
          },
        }),
  };
}

/**
 * Returns the request that completes a payment after the cardholder has authenticated
 * (docs.stripe.com/payments/finalize-payments-on-the-server).
 */
export function confirmAgainRequest(
  connection: KeyedConnection,
  { reference, paymentIntent }: { readonly reference: AttemptId; readonly paymentIntent: string },
): StripeRequest {
  const key = idempotencyKey(connection, "confirm_again", reference);
  const path = `/v1/payment_intents/${safeId("pi", paymentIntent)}/confirm`;
  return post(path, key, { error_on_requires_action: "true", expand: ["latest_charge"] });
}

export function retrieveRequest(paymentIntent: string): StripeRequest {
  return get(`/v1/payment_intents/${safeId("pi", paymentIntent)}?expand[]=latest_charge`);
}

/**
 * Returns the search by our reference. The search finds a new payment only after up to a minute
 * (docs.stripe.com/search#data-freshness), so it is used only when Stripe has deleted the idempotency key.
 */
export function searchRequest(reference: ChargeId): StripeRequest {
  const query = `metadata['${chargeKey}']:'${safeReference(reference)}'`;
  return get(
    `/v1/payment_intents/search?query=${encodeURIComponent(query)}&expand[]=data.latest_charge`,
  );
}

export type OperationTarget = {
  readonly reference: OperationId;
  readonly paymentIntent: string;
  readonly price: Money;
};

/** Returns the capture. Stripe releases the rest of the authorization. */
export function captureRequest(
  connection: KeyedConnection,
  { reference, paymentIntent, price }: OperationTarget,
): StripeRequest | Rejected {
  const amount = toStripeAmount(price);
  if (amount === null) return amountNotRepresentable;
  const path = `/v1/payment_intents/${safeId("pi", paymentIntent)}/capture`;
  return post(path, idempotencyKey(connection, "capture", reference), {
    amount_to_capture: amount.amount,
    metadata: { [operationKey]: safeReference(reference) },
  });
}

/** Returns the cancellation of a payment that is not captured. A canceled payment rejects every later request. */
export function cancelRequest(
  connection: KeyedConnection,
  paymentIntent: string,
  keyOf: { readonly kind: string; readonly id: string },
): StripeRequest {
  const path = `/v1/payment_intents/${safeId("pi", paymentIntent)}/cancel`;
  return post(path, idempotencyKey(connection, keyOf.kind, keyOf.id), {});
}

export function refundRequest(
  connection: KeyedConnection,
  { reference, paymentIntent, price }: OperationTarget,
): StripeRequest | Rejected {
  const amount = toStripeAmount(price);
  if (amount === null) return amountNotRepresentable;
  return post("/v1/refunds", idempotencyKey(connection, "refund", reference), {
    payment_intent: safeId("pi", paymentIntent),
    amount: amount.amount,
    metadata: { [operationKey]: safeReference(reference) },
  });
}

/** Returns the refund of the whole payment, for the reversal of a payment that is already captured. */
export function reversalRefundRequest(
  connection: KeyedConnection,
  target: {
    readonly reference: ChargeId;
    readonly paymentIntent: string;
    readonly series: string;
  },
): StripeRequest {
  const key = idempotencyKey(connection, `reversal_${target.series}`, target.reference);
  return post("/v1/refunds", key, {
    payment_intent: safeId("pi", target.paymentIntent),
    metadata: { [chargeKey]: safeReference(target.reference) },
  });
}

/**
 * Returns the request for the latest 100 refunds of a payment. An inquiry about an earlier refund returns `unknown`,
 * because the list has only one page.
 */
export function listRefundsRequest(paymentIntent: string): StripeRequest {
  return get(`/v1/refunds?payment_intent=${safeId("pi", paymentIntent)}&limit=100`);
}

function post(
  path: string,
  idempotencyKey: string,
  body: { readonly [key: string]: PreparedJson },
): StripeRequest {
  return { method: "POST", path, idempotencyKey, body };
}

function get(path: string): StripeRequest {
  return { method: "GET", path, idempotencyKey: null, body: null };
}

/** Asserts that the text is an ID of one of Stripe's objects, which is safe in a path. */
export function safeId(prefix: string, id: string): string {
  assert.match(id, /^[a-z]{2,5}_[0-9A-Za-z_]{1,250}$/, `The ${prefix} ID is malformed.`);
  return id;
}
