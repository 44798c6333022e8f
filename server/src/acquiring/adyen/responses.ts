import type { CardNetwork } from "@florin/contract/payment-method.ts";
import type { Money } from "../../core/money.ts";
import { isJsonObject, type JsonObject, parseJsonObject } from "../json-object.ts";
import type {
  AuthorizationOutcome,
  HttpResponse,
  OperationOutcome,
  Redirect,
  Rejected,
  RejectionReason,
  RetrySameRequest,
  UnknownOutcome,
} from "../outcome.ts";
import { isSafePage } from "../redirect-page.ts";
import { type AdditionalData, detailsOf, networkOf, textOf } from "./authorization-details.ts";
import { fromAdyenAmount } from "./currencies.ts";
import { declineOf } from "./decline-codes.ts";

/** The kind of outcome for each result code of `/payments` and `/payments/details`. */
export const resultCodes = {
  Authorised: "approved",
  PartiallyAuthorised: "approved",
  Refused: "declined",
  Cancelled: "declined",
  Error: "declined",
  RedirectShopper: "requires_action",
  Pending: "pending",
  Received: "pending",
  // These result codes belong to flows that the connector never requests, so the codes do not show whether money moved.
  AuthenticationFinished: "unknown",
  AuthenticationNotRequired: "unknown",
  ChallengeShopper: "unknown",
  IdentifyShopper: "unknown",
  PresentToShopper: "unknown",
  Success: "unknown",
} as const satisfies Record<string, AuthorizationOutcome["kind"]>;

type ResultCode = keyof typeof resultCodes;

export type SentAuthorization = {
  readonly reference: string;
  readonly price: Money;
  /** The network of the card, or null if we do not know it. Adyen may not return the network of a declined payment. */
  readonly network: CardNetwork | null;
  /** True if the request contains a wallet's token instead of a card. */
  readonly isGatewayToken?: boolean;
};

/** Returns the outcome of a response of `/payments` or `/payments/details`. */
export function authorizationOutcome(
  response: HttpResponse,
  sent: SentAuthorization,
  now: Date,
): AuthorizationOutcome | RetrySameRequest {
  const body = parseJsonObject(response.body);
  if (response.status !== 200) {
    const failure = failureOf(response, body);
    return sent.isGatewayToken ? asTokenFailure(failure, response) : failure;
  }
  if (body === null) return unknown("the body is not a JSON object");
  const resultCode = body.resultCode;
  if (!isResultCode(resultCode)) return unknown("the result code is unknown");
  const reference = body.merchantReference;
  if (reference !== undefined && reference !== sent.reference) {
    return unknown("the response has a different reference from the request");
  }
  const pspReference = textOf(body, "pspReference");
  switch (resultCode) {
    case "Authorised":
    case "PartiallyAuthorised":
      return approval(resultCode, body, pspReference, sent);
    case "Refused":
    case "Cancelled":
    case "Error":
      return decline(resultCode, body, pspReference, sent, now);
    case "RedirectShopper":
      return redirection(body, pspReference);
    case "Pending":
    case "Received":
      return { kind: "pending", acquirerReference: pspReference };
    default:
      return unknown(`the result code ${resultCode} is unexpected`);
  }
}

function approval(
  resultCode: "Authorised" | "PartiallyAuthorised",
  body: JsonObject,
  pspReference: string | null,
  sent: SentAuthorization,
): AuthorizationOutcome {
  if (pspReference === null) return unknown("the approval has no `pspReference`");
  const data = additionalDataOf(body);
  const amount = approvedAmount(body, data);
  if (amount === "invalid") return unknown("the approved amount is invalid");
  if (amount === null && resultCode === "PartiallyAuthorised") {
    return unknown("the partial approval has no amount");
  }
  const { amountMinor, currency } = amount ?? sent.price;
  if (currency !== sent.price.currency)
    return unknown("the approval has a different currency from the request");
  if (amountMinor > sent.price.amountMinor)
    return unknown("the approved amount exceeds the requested amount");
  return {
    kind: "approved",
    approvedMinor: amountMinor,
    details: detailsOf(pspReference, data, brandTextOf(body)),
  };
}

/**
 * Returns the approved amount. Returns null if the response does not contain it, which means that the whole requested
 * amount was approved.
 */
function approvedAmount(body: JsonObject, data: AdditionalData): Money | "invalid" | null {
  if (body.amount !== undefined) return amountOf(body.amount);
  const value = textOf(data, "authorisedAmountValue");
  const currency = textOf(data, "authorisedAmountCurrency");
  if (value === null && currency === null) return null;
  return /^\d{1,15}$/.test(value ?? "") ? amountOf({ currency, value: Number(value) }) : "invalid";
}

function amountOf(amount: unknown): Money | "invalid" {
  if (!isJsonObject(amount)) return "invalid";
  const { currency, value } = amount;
  if (typeof currency !== "string" || typeof value !== "number" || value < 0) return "invalid";
  return fromAdyenAmount({ currency, value }) ?? "invalid";
}

function decline(
  resultCode: "Refused" | "Cancelled" | "Error",
  body: JsonObject,
  pspReference: string | null,
  sent: SentAuthorization,
  now: Date,
): AuthorizationOutcome {
  if (pspReference === null) return unknown("the decline has no `pspReference`");
  const data = additionalDataOf(body);
  const details = detailsOf(pspReference, data, brandTextOf(body));
  const named = networkOf(brandTextOf(body) ?? textOf(data, "paymentMethod"));
  return {
    kind: "declined",
    details,
    ...declineOf(
      {
        resultCode,
        refusalReasonCode: textOf(body, "refusalReasonCode"),
        refusalReasonRaw: textOf(data, "refusalReasonRaw"),
        merchantAdviceCode: details.networkAdviceCode,
        network: sent.network ?? named,
      },
      now,
    ),
  };
}

function redirection(body: JsonObject, pspReference: string | null): AuthorizationOutcome {
  const action = body.action;
  const redirect = isJsonObject(action) ? redirectOf(action) : null;
  if (redirect === null) return unknown("the redirect is missing or invalid");
  return {
    kind: "requires_action",
    redirect,
    resume: isJsonObject(action) ? longTextOf(action.paymentData) : null,
    acquirerReference: pspReference,
  };
}

/**
 * Reads a `CheckoutRedirectAction`. Returns null unless the URL is an HTTPS page, or a fake acquirer's page on this
 * machine.
 */
function redirectOf(action: JsonObject): Redirect | null {
  const { type, url, method, data } = action;
  if (type !== "redirect" || typeof url !== "string" || !isSafePage(url)) return null;
  if (method !== "GET" && method !== "POST") return null;
  const fields = data ?? {};
  if (!isJsonObject(fields) || !Object.values(fields).every((value) => typeof value === "string")) {
    return null;
  }
  return { url, method, fields: method === "GET" ? {} : (fields as Record<string, string>) };
}

export type SentOperation = {
  readonly merchantAccount: string;
  readonly reference: string;
  /** The `pspReference` of the payment. For a cancellation by our reference, our reference of the payment. */
  readonly payment: string;
};

/**
 * Returns the outcome of a response to a capture, cancellation, refund or reversal. Adyen only confirms the receipt and
 * reports the result in a notification.
 */
export function operationOutcome(
  response: HttpResponse,
  sent: SentOperation,
): OperationOutcome | RetrySameRequest {
  const body = parseJsonObject(response.body);
  if (response.status !== 201) return failureOf(response, body);
  if (body === null) return unknown("the body is not a JSON object");
  if (body.status !== "received") return unknown("the status is not `received`");
  const pspReference = textOf(body, "pspReference");
  if (pspReference === null) return unknown("the confirmation has no `pspReference`");
  const payment = body.paymentPspReference ?? body.paymentReference;
  const isOurs =
    body.merchantAccount === sent.merchantAccount &&
    payment === sent.payment &&
    (body.reference === undefined || body.reference === sent.reference);
  return isOurs
    ? { kind: "pending", acquirerReference: pspReference }
    : unknown("the confirmation is for a different request");
}

/**
 * The error codes for an invalid card number (101) and for a security code of the wrong length (103)
 * (docs.adyen.com/development-resources/error-codes).
 */
export const cardErrorCodes: ReadonlySet<string> = new Set(["101", "103"]);

/**
 * The error codes for a repeated request if the first copy is still being processed or its state could not be checked
 * (docs.adyen.com/development-resources/api-idempotency).
 */
const inProgress: ReadonlySet<string> = new Set(["703", "704"]);

/**
 * Returns the outcome of an unsuccessful response. Only an error in Adyen's format shows that Adyen did not process the
 * request. A proxy can return the same status codes even if Adyen has processed the request.
 */
function failureOf(
  { status, headers }: HttpResponse,
  body: JsonObject | null,
): Rejected | RetrySameRequest | UnknownOutcome {
  const lost = unknown(`the response has status ${status}`);
  if (status < 400) return lost;
  // This header means that Adyen has not processed the request (docs.adyen.com/development-resources/api-idempotency).
  if (headers["transient-error"] === "true") return { kind: "retry_same_request", otherwise: lost };
  const errorCode = body === null ? null : serviceErrorCode(body, status);
  if (errorCode === null) return lost;
  if (inProgress.has(errorCode)) return { kind: "retry_same_request", otherwise: lost };
  switch (status) {
    case 400:
    case 422:
      return rejected(cardErrorCodes.has(errorCode) ? "card_data" : "invalid_request", errorCode);
    case 401:
    case 403:
      return rejected("credentials", errorCode);
    case 429:
      return { kind: "retry_same_request", otherwise: rejected("rate_limited", errorCode) };
    default:
      return lost;
  }
}

/**
 * Returns the failure of a request with a wallet's token. Status 422 concerns the token, because everything else in the
 * request has the same form as for a card. The exception is `5_004`: Adyen has no private key for the merchant's
 * identifier at Apple, so the account is not set up (docs.adyen.com/payment-methods/apple-pay/handle-apple-pay-errors).
 * Status 403 does not count as a rejected key, because it can concern the wallet, and three rejected keys suspend the
 * connection.
 */
function asTokenFailure(
  failure: ReturnType<typeof failureOf>,
  { status }: HttpResponse,
): ReturnType<typeof failureOf> {
  if (failure.kind !== "rejected") return failure;
  if (status === 403) return { ...failure, why: "invalid_request" };
  const isToken = status === 422 && failure.acquirerErrorCode !== "5_004";
  return isToken ? { ...failure, why: "wallet_token" } : failure;
}

/** Returns the code of an error in Adyen's format (schema `ServiceError`), or null for any other body. */
function serviceErrorCode(body: JsonObject, status: number): string | null {
  if (body.status !== status) return null;
  const hasForm = typeof body.message === "string" && typeof body.errorType === "string";
  return hasForm ? textOf(body, "errorCode") : null;
}

function rejected(why: RejectionReason, acquirerErrorCode: string): Rejected {
  return { kind: "rejected", why, acquirerErrorCode };
}

function unknown(problem: string): UnknownOutcome {
  return { kind: "unknown", why: "invalid_response", problem };
}

function isResultCode(value: unknown): value is ResultCode {
  return typeof value === "string" && Object.hasOwn(resultCodes, value);
}

function additionalDataOf(body: JsonObject): AdditionalData {
  return isJsonObject(body.additionalData) ? body.additionalData : {};
}

function brandTextOf(body: JsonObject): string | null {
  return isJsonObject(body.paymentMethod) ? textOf(body.paymentMethod, "brand") : null;
}

/** Returns the payment data of a redirect. Adyen allows 200,000 characters. */
function longTextOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" && value.length <= 200_000 ? value : null;
}
