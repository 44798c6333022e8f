import type { CardNetwork } from "@florin/contract/payment-method.ts";
import type { Money } from "../../core/money.ts";
import type { TokenSource } from "../../vault/card-number.ts";
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
  OperationOutcome,
  Rejected,
  RejectionReason,
  RetrySameRequest,
  UnknownOutcome,
} from "../outcome.ts";
import type { OperationKind } from "../processor.ts";
import { isSafePage } from "../redirect-page.ts";
import { fromCheckoutComAmount } from "./currencies.ts";
import { detailsOf, merchantAdviceOf, networkOf } from "./payment-details.ts";
import { approvalCodes, declineOf } from "./response-codes.ts";

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

/** The payment is voided or fully refunded. */
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
  if (body === null) return unknown("The body is not a JSON object.");
  const outcome = paymentOutcome(body, sent);
  switch (outcome.kind) {
    case "ended":
      return unknown("The new payment has already ended.");
    case "not_approved":
      return decline(outcome, responseCodeOf(body), sent, now);
    default:
      return outcome;
  }
}

/**
 * Returns the outcome of a request for the exchange of a wallet's token. `token_format` states whether a device has
 * authenticated the customer of Google Pay. Any other format is rejected, because the payment would need 3-D Secure
 * (checkout.com/docs/payments/add-payment-methods/google-pay). The request moves no money. Status 4xx is therefore a
 * rejection in every form, and does not count for the circuit breaker. A customer could otherwise open it with tokens
 * that a firewall of Checkout.com rejects.
 */
export function exchangeOutcome(
  response: HttpResponse,
  wallet: TokenSource,
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

/** Returns whether a device has authenticated the customer of an exchanged token. */
function isAuthenticated(body: JsonObject): boolean {
  return textOf(body, "token_format")?.toLowerCase() === "cryptogram_3ds";
}

/** The error codes that concern a token (checkout.com/docs/resources/codes/error-codes). */
const tokenError = /(?:^|, )(?:payment_source_)?token_/;

/**
 * Returns the outcome of a payment with a token of Checkout.com. Status 403 does not count as a rejected key, because it
 * can concern the token, and three rejected keys suspend the connection.
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

/** Returns the failure of a payment request. Only an action of a payment can be forbidden by the payment's state. */
function asPaymentFailure(response: HttpResponse): Rejected | RetrySameRequest | UnknownOutcome {
  const failure = failureOf(response, rejectedAsTooMany);
  const isForbidden = response.status === 403 && failure.kind === "rejected";
  return isForbidden ? { ...failure, why: "credentials" } : failure;
}

/** The outcome of a request that Checkout.com limits, if no earlier copy can be in progress. */
const rejectedAsTooMany: Rejected = {
  kind: "rejected",
  why: "rate_limited",
  acquirerErrorCode: "too_many_requests",
};

/** Returns the outcome of a response that contains a payment. */
export function foundOutcome(
  response: HttpResponse,
  sent: SentPayment,
): AuthorizationOutcome | Ended | NotApproved | RetrySameRequest {
  if (response.status !== 200) return failureOf(response, null);
  const body = parseJsonObject(response.body);
  return body === null ? unknown("The body is not a JSON object.") : paymentOutcome(body, sent);
}

function paymentOutcome(
  payment: JsonObject,
  sent: SentPayment,
): AuthorizationOutcome | Ended | NotApproved {
  const id = textOf(payment, "id");
  if (id === null || !id.startsWith("pay_")) return unknown("The payment has no ID.");
  const reference = payment.reference ?? sent.reference;
  if (reference !== sent.reference) {
    return unknown("The response has a different reference from the request.");
  }
  const status = textOf(payment, "status") ?? "";
  if (!isStatus(status)) return unknown("The status of the payment is unknown.");
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
    return unknown("The approval contradicts its response code.");
  }
  const approved = moneyOf(payment, "amount");
  if (approved === null) return unknown("The approved amount is missing.");
  if (approved.currency !== sent.price.currency) {
    return unknown("The approval has a different currency from the request.");
  }
  if (approved.amountMinor > sent.price.amountMinor) {
    return unknown("The approved amount exceeds the requested amount.");
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
  if (url === null || !isSafePage(url)) return unknown("The redirect is missing or invalid.");
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

function responseCodeOf(fields: JsonObject): string | null {
  return textOf(fields, "response_code");
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
  if (!Array.isArray(list)) return unknown("The body is not a list of payments.");
  const own = list.filter(
    (one): one is JsonObject => isJsonObject(one) && one.reference === reference,
  );
  const holding = own.filter((one) => {
    const status = textOf(one, "status") ?? "";
    return !isStatus(status) || ["approved", "pending"].includes(statusOutcomes[status]);
  });
  if (holding.length > 1) return unknown("Several payments have the same reference.");
  const [payment] = [...holding, ...own];
  return { kind: "found", id: payment === undefined ? null : textOf(payment, "id") };
}

/** The types of actions for our operations (`type` of `PaymentAction`). */
export const actionTypes = {
  capture: "Capture",
  void: "Void",
  refund: "Refund",
} as const satisfies Record<OperationKind, string>;

export type SentOperation = {
  readonly kind: OperationKind;
  readonly reference: string;
  readonly price: Money;
};

/**
 * Returns the outcome of a response to a capture, void or refund. Checkout.com confirms the receipt, and reports the
 * result in an event.
 */
export function operationOutcome(
  response: HttpResponse,
  sent: Pick<SentOperation, "reference">,
): OperationOutcome | RetrySameRequest {
  // A copy of the request may be in progress, because another process may have sent one before.
  if (response.status !== 202) return failureOf(response, null);
  const body = parseJsonObject(response.body);
  const action = body && textOf(body, "action_id");
  if (body === null || action === null) return unknown("The confirmation has no action.");
  return (body.reference ?? sent.reference) === sent.reference
    ? { kind: "pending", acquirerReference: action }
    : unknown("The confirmation is for a different request.");
}

/** Returns the actions of a response, newest first. */
export function actionsOf(
  response: HttpResponse,
):
  | { readonly kind: "actions"; readonly actions: readonly JsonObject[] }
  | UnknownOutcome
  | RetrySameRequest {
  if (response.status !== 200) return asUnknown(failureOf(response, null));
  let list: unknown = null;
  try {
    list = JSON.parse(response.body);
  } catch {
    return unknown("The body is not JSON.");
  }
  return Array.isArray(list)
    ? { kind: "actions", actions: list.filter(isJsonObject) }
    : unknown("The body is not a list of actions.");
}

/** Returns the response code of the authorization. Null if the actions do not contain one. */
export function authorizationCodeIn(actions: readonly JsonObject[]): string | null {
  const authorization = actions.find(
    ({ type }) => type === "Authorization" || type === "Card Verification",
  );
  return authorization === undefined ? null : responseCodeOf(authorization);
}

/** Returns the outcome of an operation from the actions of its payment. */
export function operationIn(
  actions: readonly JsonObject[],
  sent: SentOperation,
  currency: string,
): OperationOutcome | { readonly kind: "not_found" } {
  const own = actions.find(
    (action) => action.type === actionTypes[sent.kind] && action.reference === sent.reference,
  );
  return own === undefined ? { kind: "not_found" } : actionOutcome(own, sent, currency);
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

/** Returns whether a void or refund that reverses the payment was accepted and has no result yet. */
export function reversalActionIn(
  actions: readonly JsonObject[],
  kind: "voids" | "refunds",
  reference: string,
): boolean {
  const type = kind === "voids" ? actionTypes.void : actionTypes.refund;
  return actions.some(
    (action) =>
      action.type === type && action.reference === reference && action.approved === undefined,
  );
}

/** Returns the outcome of an action. An action without `approved` is still being processed. */
export function actionOutcome(
  action: JsonObject,
  sent: Pick<SentOperation, "kind" | "price">,
  currency: string,
): OperationOutcome {
  const acquirerReference = textOf(action, "id");
  if (action.approved === false) return declinedAction(action);
  if (action.approved !== true) return { kind: "pending", acquirerReference };
  const amount = numberOf(action, "amount");
  const price = amount === null ? null : fromCheckoutComAmount({ amount, currency });
  if (sent.kind !== "void" && price?.amountMinor !== sent.price.amountMinor) {
    return unknown("The action has a different amount from the request.");
  }
  return { kind: "done", acquirerReference };
}

function declinedAction(action: JsonObject): OperationOutcome {
  return { kind: "declined", code: "processing_error", reason: reasonOf(action) };
}

/** Returns the response code with its text, such as `20109 Authorization already reversed`. */
export function reasonOf(fields: JsonObject): string | null {
  const parts = [responseCodeOf(fields), textOf(fields, "response_summary")];
  const text = parts.filter((part) => part !== null).join(" ");
  return text === "" ? null : text.slice(0, 200);
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
  if (payment?.reference !== reference) return unknown("The payment has another reference.");
  if (!isStatus(status)) return unknown("The status of the payment is unknown.");
  switch (status) {
    case "Authorized":
      return { kind: "voids" };
    case "Captured":
      return { kind: "refunds" };
    case "Pending":
      return { kind: "waiting" };
    case "Partially Captured":
    case "Partially Refunded":
      return unknown("The payment is captured or refunded in part.");
    default:
      return { kind: "reversed" };
  }
}

/** The error codes that concern the card (checkout.com/docs/resources/codes/error-codes). */
const cardError = /^(?:card_(?:number|expiry_month|expiry_year|expired)|cvv)(?:_|$)/;

/**
 * Returns the outcome of an unsuccessful response. Only a response in Checkout.com's format shows that it did not
 * process the request: a `ValidationError`, or no body at all (nas-openapi.json). Checkout.com stores the response of a
 * request only if it processed the request
 * (checkout.com/docs/developer-resources/api/idempotency).
 *
 * 429 means too many requests, or that a copy of the request is in progress. `tooMany` is the outcome if no copy can be
 * in progress. Null if one can, so that the outcome stays unknown.
 */
export function failureOf(
  { status, body }: HttpResponse,
  tooMany: Rejected | null,
): Rejected | RetrySameRequest | UnknownOutcome {
  const lost = unknown(`The response has status ${status}.`);
  const codes = body === "" ? [] : errorCodesOf(parseJsonObject(body));
  if (codes === null) return lost;
  const code = codes.join(", ").slice(0, 200) || String(status);
  switch (status) {
    case 400:
    case 422:
      if (codes.length === 0) return lost;
      return rejected(
        codes.some((one) => cardError.test(one)) ? "card_data" : "invalid_request",
        code,
      );
    case 401:
      return rejected("credentials", code);
    case 403:
    case 404:
      return rejected("invalid_request", code);
    case 409:
    case 429:
      return { kind: "retry_same_request", otherwise: tooMany ?? lost };
    default:
      return lost;
  }
}

/** Returns the codes of an error in Checkout.com's format (schema `ValidationError`), or null for any other body. */
export function errorCodesOf(body: JsonObject | null): readonly string[] | null {
  if (body === null || typeof body.error_type !== "string") return null;
  const codes = body.error_codes ?? [];
  if (!Array.isArray(codes)) return null;
  return codes.filter((code): code is string => typeof code === "string");
}

function rejected(why: RejectionReason, acquirerErrorCode: string): Rejected {
  return { kind: "rejected", why, acquirerErrorCode };
}

/** Returns an unknown outcome instead of a rejection. A rejected inquiry proves nothing about its payment. */
function asUnknown(failure: Rejected | RetrySameRequest | UnknownOutcome) {
  return failure.kind === "rejected"
    ? unknown(`the inquiry was rejected (${failure.acquirerErrorCode})`)
    : failure;
}

function moneyOf(fields: JsonObject, name: string): Money | null {
  const amount = numberOf(fields, name);
  const currency = textOf(fields, "currency");
  return amount === null || currency === null ? null : fromCheckoutComAmount({ amount, currency });
}

export function unknown(problem: string): UnknownOutcome {
  return { kind: "unknown", why: "invalid_response", problem };
}

function isStatus(status: string): status is PaymentStatus {
  return Object.hasOwn(statusOutcomes, status);
}
