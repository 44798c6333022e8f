import type { CardNetwork, DigitalWallet } from "@florin/contract/payment-method.ts";
import type { Money } from "../../core/money.ts";
import {
  isJsonObject,
  type JsonObject,
  numberOf,
  objectOf,
  parseJsonObject,
  textOf,
} from "../json-object.ts";
import type {
  AuthorizationOutcome,
  HttpResponse,
  Rejected,
  RetrySameRequest,
  UnknownOutcome,
} from "../outcome.ts";
import { isSafePage } from "../redirect-page.ts";
import { fromCheckoutComAmount } from "./currencies.ts";
import { detailsOf, merchantAdviceOf, networkOf } from "./payment-details.ts";
import { approvalCodes, declineOf } from "./response-codes.ts";
import { asUnknown, failureOf, rejected, rejectedAsTooMany, unknown } from "./response-failures.ts";

/**
 * The outcome of each status of a payment (`status` of `PaymentResponse` and `PaymentDetails`). A payment that is
 * `ended` holds no money and cannot hold any later.
 */
export const statusOutcomes = {
  Authorized: "approved",
  "Card Verified": "approved",
  Captured: "approved",
  "Partially Captured": "approved",
  "Partially Refunded": "approved",
  Pending: "pending",
  Declined: "declined",
  Canceled: "declined",
  Expired: "declined",
  Voided: "ended",
  Refunded: "ended",
} as const;

type PaymentStatus = keyof typeof statusOutcomes;

export type SentPayment = {
  readonly reference: string;
  readonly price: Money;
  /** The network of the card, or null if it is not known. */
  readonly network: CardNetwork | null;
};

/** The payment holds no money: it was voided or fully refunded, or its authorization expired. */
export type Ended = { readonly kind: "ended" };

/** A payment that was not approved, whose response code only its actions contain. */
export type NotApproved = {
  readonly kind: "not_approved";
  readonly id: string;
  readonly status: "Declined" | "Canceled" | "Expired";
  readonly payment: JsonObject;
};

/** Returns the outcome of a response to a payment request. */
export function authorizationOutcome(
  response: HttpResponse,
  sent: SentPayment,
  now: Date,
): AuthorizationOutcome | RetrySameRequest {
  const { status } = response;
  const body = parseJsonObject(response.body);
  if (status !== 201 && status !== 202) return asPaymentFailure(response);
  if (body === null) return unknown("the body is not a JSON object");
  const outcome = paymentOutcome(body, sent);
  switch (outcome.kind) {
    case "ended":
      return unknown("the new payment has already ended");
    case "not_approved":
      return decline(outcome, textOf(body, "response_code"), sent, now);
    default:
      return outcome;
  }
}

/**
 * Returns the outcome of a request for the exchange of a wallet's token. `token_format` states whether a device has
 * authenticated the customer of Google Pay. Any other format is rejected, because the payment would need 3-D Secure
 * (checkout.com/docs/payments/add-payment-methods/google-pay). The request moves no money. Status 4xx is therefore a
 * rejection even if the body is not in Checkout.com's format, and does not count for the circuit breaker. Otherwise a
 * customer could open the circuit with tokens that a firewall of Checkout.com rejects.
 */
export function exchangeOutcome(
  response: HttpResponse,
  wallet: DigitalWallet,
):
  | { readonly kind: "exchanged"; readonly token: string }
  | Rejected
  | { readonly kind: "not_sent" } {
  const body = parseJsonObject(response.body);
  if (response.status === 201) {
    const token = body && textOf(body, "token");
    if (body === null || token === null || !/^tok_\w{26}$/.test(token)) return { kind: "not_sent" };
    return wallet === "google_pay" && !isAuthenticated(body)
      ? rejected("wallet_token", "not_cryptogram_3ds")
      : { kind: "exchanged", token };
  }
  if (response.status < 400 || response.status >= 500) return { kind: "not_sent" };
  const failure = failureOf(response, rejectedAsTooMany);
  const rejection = failure.kind === "retry_same_request" ? failure.otherwise : failure;
  if (rejection.kind !== "rejected") return rejected("invalid_request", String(response.status));
  if (rejection.why === "rate_limited") return rejection;
  // 401 concerns the public key. Payments with cards use the secret key, so the connection stays active.
  return response.status === 422
    ? { ...rejection, why: "wallet_token" }
    : { ...rejection, why: "invalid_request" };
}

/** Returns whether the customer was authenticated on a device, according to the response of a token exchange. */
function isAuthenticated(body: JsonObject): boolean {
  return textOf(body, "token_format")?.toLowerCase() === "cryptogram_3ds";
}

/** The error codes that concern a token (checkout.com/docs/resources/codes/error-codes). */
const tokenError = /(?:^|, )(?:payment_source_)?token_/;

/**
 * Returns the outcome of a payment with a token of Checkout.com. Status 403 does not count as a rejected key, because
 * it can concern the token, and three rejected keys suspend the connection.
 */
export function asTokenOutcome(
  outcome: AuthorizationOutcome | RetrySameRequest,
  { status }: Pick<HttpResponse, "status">,
): AuthorizationOutcome | RetrySameRequest {
  if (outcome.kind !== "rejected") return outcome;
  if (status === 403) return { ...outcome, why: "invalid_request" };
  const isToken =
    outcome.why === "invalid_request" && tokenError.test(outcome.acquirerErrorCode ?? "");
  return isToken ? { ...outcome, why: "wallet_token" } : outcome;
}

/**
 * Returns the failure of a payment request. Its status 403 means that the secret key may not create payments. Only for
 * a capture, void or refund can 403 mean that the payment's state forbids the request.
 */
function asPaymentFailure(response: HttpResponse): Rejected | RetrySameRequest | UnknownOutcome {
  const failure = failureOf(response, rejectedAsTooMany);
  const isForbidden = response.status === 403 && failure.kind === "rejected";
  return isForbidden ? { ...failure, why: "credentials" } : failure;
}

/** Returns the outcome of a response that contains a payment. */
export function foundOutcome(
  response: HttpResponse,
  sent: SentPayment,
): AuthorizationOutcome | Ended | NotApproved | RetrySameRequest {
  if (response.status !== 200) return failureOf(response, null);
  const body = parseJsonObject(response.body);
  return body === null ? unknown("the body is not a JSON object") : paymentOutcome(body, sent);
}

function paymentOutcome(
  payment: JsonObject,
  sent: SentPayment,
): AuthorizationOutcome | Ended | NotApproved {
  const id = textOf(payment, "id");
  if (id === null || !id.startsWith("pay_")) return unknown("the payment has no ID");
  const reference = payment.reference ?? sent.reference;
  if (reference !== sent.reference) {
    return unknown("the response has a different reference from the request");
  }
  const status = textOf(payment, "status") ?? "";
  if (!isStatus(status)) return unknown("the status of the payment is unknown");
  switch (statusOutcomes[status]) {
    case "approved":
      return approval(payment, id, sent);
    case "declined":
      return { kind: "not_approved", id, status: status as NotApproved["status"], payment };
    case "pending":
      return pendingOutcome(payment, id);
    case "ended":
      return { kind: "ended" };
  }
}

function approval(payment: JsonObject, id: string, sent: SentPayment): AuthorizationOutcome {
  const code = textOf(payment, "response_code");
  if (payment.approved !== true || (code !== null && !Object.hasOwn(approvalCodes, code))) {
    return unknown("the approval contradicts its response code");
  }
  const approved = moneyOf(payment, "amount");
  if (approved === null) return unknown("the approved amount is missing");
  if (approved.currency !== sent.price.currency) {
    return unknown("the approval has a different currency from the request");
  }
  if (approved.amountMinor > sent.price.amountMinor) {
    return unknown("the approved amount exceeds the requested amount");
  }
  return {
    kind: "approved",
    approvedMinor: approved.amountMinor,
    details: detailsOf(id, payment),
  };
}

/** Returns the redirect of a payment that waits for the cardholder. Without a link, the payment is being processed. */
function pendingOutcome(payment: JsonObject, id: string): AuthorizationOutcome {
  const { redirect } = objectOf(payment, "_links");
  if (redirect === undefined) return { kind: "pending", acquirerReference: id };
  const url = isJsonObject(redirect) ? textOf(redirect, "href") : null;
  if (url === null || !isSafePage(url)) return unknown("the redirect is missing or invalid");
  return {
    kind: "requires_action",
    redirect: { url, method: "GET", fields: {} },
    resume: id,
    acquirerReference: id,
  };
}

/** Returns the decline of a payment. The code is null if Checkout.com did not return it. */
export function decline(
  { id, status, payment }: NotApproved,
  responseCode: string | null,
  { network }: Pick<SentPayment, "network">,
  now: Date,
): Extract<AuthorizationOutcome, { kind: "declined" }> {
  const details = detailsOf(id, payment);
  const declined = declineOf(
    {
      responseCode,
      recommendationCode: textOf(objectOf(payment, "processing"), "recommendation_code"),
      merchantAdviceCode: merchantAdviceOf(payment),
      network: network ?? networkOf(textOf(objectOf(payment, "source"), "scheme")),
    },
    now,
  );
  // Without a response code, the cardholder left Checkout.com's page or did not finish in time.
  const unanswered = status === "Canceled" ? "authentication_canceled" : "authentication_timed_out";
  const isUnanswered = responseCode === null && status !== "Declined";
  return {
    kind: "declined",
    details,
    ...declined,
    ...(isUnanswered ? { code: unanswered, retry: "auth" as const } : {}),
  };
}

/**
 * Returns the ID of the payment in the list of payments with our reference, or null if the list is empty. Several
 * payments that hold money are an unknown outcome.
 */
export function searchOutcome(
  response: HttpResponse,
  reference: string,
): { readonly kind: "found"; readonly id: string | null } | UnknownOutcome | RetrySameRequest {
  if (response.status !== 200) return asUnknown(failureOf(response, null));
  const list = parseJsonObject(response.body)?.data;
  if (!Array.isArray(list)) return unknown("the body is not a list of payments");
  const own = list.filter(
    (one): one is JsonObject => isJsonObject(one) && one.reference === reference,
  );
  const holding = own.filter((one) => {
    const status = textOf(one, "status") ?? "";
    return !isStatus(status) || ["approved", "pending"].includes(statusOutcomes[status]);
  });
  if (holding.length > 1) return unknown("several payments have the same reference");
  const [payment] = [...holding, ...own];
  return { kind: "found", id: payment === undefined ? null : textOf(payment, "id") };
}

/**
 * Returns whether the authorization of a payment is held, or has already ended without a capture. `other` is any other
 * state.
 */
export function authorizationState(
  response: HttpResponse,
): { readonly kind: "held" | "released" | "other" } | UnknownOutcome | RetrySameRequest {
  if (response.status !== 200) return asUnknown(failureOf(response, null));
  switch (parseJsonObject(response.body)?.status) {
    case "Authorized":
      return { kind: "held" };
    case "Voided":
    case "Expired":
    case "Canceled":
      return { kind: "released" };
    default:
      return { kind: "other" };
  }
}

/** The state of a payment that is reversed, and the next request that the reversal needs. */
export type ReversalStep =
  | { readonly kind: "reversed" }
  /** The payment waits for the cardholder, and cannot be voided. It expires after 15 minutes. */
  | { readonly kind: "waiting" }
  | { readonly kind: "voids" | "refunds" };

/** Returns the next step of the reversal of a payment. */
export function reversalStep(
  response: HttpResponse,
  reference: string,
): ReversalStep | UnknownOutcome | RetrySameRequest {
  if (response.status !== 200) return asUnknown(failureOf(response, null));
  const payment = parseJsonObject(response.body);
  const status = (payment && textOf(payment, "status")) ?? "";
  if (payment?.reference !== reference) return unknown("the payment has another reference");
  if (!isStatus(status)) return unknown("the status of the payment is unknown");
  switch (status) {
    case "Authorized":
      return { kind: "voids" };
    case "Captured":
      return { kind: "refunds" };
    case "Pending":
      return { kind: "waiting" };
    case "Partially Captured":
    case "Partially Refunded":
      return unknown("the payment is captured or refunded in part");
    default:
      return { kind: "reversed" };
  }
}

function moneyOf(fields: JsonObject, name: string): Money | null {
  const amount = numberOf(fields, name);
  const currency = textOf(fields, "currency");
  return amount === null || currency === null ? null : fromCheckoutComAmount({ amount, currency });
}

function isStatus(status: string): status is PaymentStatus {
  return Object.hasOwn(statusOutcomes, status);
}
