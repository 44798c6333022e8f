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
  OperationOutcome,
  Rejected,
  RejectionReason,
  RetrySameRequest,
  UnknownOutcome,
} from "../outcome.ts";
import type { OperationKind } from "../processor.ts";
import { isSafePage } from "../redirect-page.ts";
import { fromStripeAmount } from "./currencies.ts";
import { declineOf } from "./decline-codes.ts";
import { detailsOf } from "./payment-details.ts";
import { chargeKey, operationKey } from "./requests.ts";

/** The state of a payment without an outcome: no card has been charged, or nothing can be charged anymore. */
export type Uncharged =
  | { readonly kind: "unconfirmed"; readonly paymentIntent: string }
  /** The payment is canceled, or the whole payment was refunded. Stripe rejects a later confirmation. */
  | { readonly kind: "ended" };

export type SentPayment = { readonly reference: string; readonly price: Money };

/** The outcome of each status (`status` of docs.stripe.com/api/payment_intents/object). */
export const statusOutcomes = {
  succeeded: "approved",
  requires_capture: "approved",
  requires_action: "requires_action",
  processing: "pending",
  canceled: "ended",
  // Declined if `last_payment_error` is set. Otherwise no card has been charged.
  requires_payment_method: "declined",
  requires_confirmation: "unconfirmed",
} as const;

/** Returns the outcome of a response that contains a payment. */
export function paymentOutcome(
  response: HttpResponse,
  sent: SentPayment,
  now: Date,
): AuthorizationOutcome | Uncharged | RetrySameRequest {
  const body = parseJsonObject(response.body);
  if (response.status === 200) {
    return body === null ? unknown("the body is not a JSON object") : outcomeOf(body, sent, now);
  }
  const error = errorOf(body);
  const named = error === null ? null : error.payment_intent;
  // An error of a declined card, or of a payment whose state does not allow the request, contains the payment.
  const isOfPayment =
    response.status === 402 ||
    (error && textOf(error, "code")) === "payment_intent_unexpected_state";
  if (isOfPayment && isJsonObject(named)) return outcomeOf(named, sent, now);
  return failureOf(response, error);
}

/** The error codes of a token that was used in the meantime, or that does not exist (docs.stripe.com/error-codes). */
const tokenErrors: ReadonlySet<string | null> = new Set(["token_already_used", "resource_missing"]);

/**
 * Returns the outcome of the confirmation with a wallet's token. The same key has created the payment, so status 403
 * concerns the token. It does not count as a rejected key, because a customer can cause it.
 */
export function asTokenOutcome<Outcome extends { readonly kind: string }>(
  outcome: Outcome | Rejected,
  { status }: Pick<HttpResponse, "status">,
): Outcome | Rejected {
  if (outcome.kind !== "rejected") return outcome;
  const rejection = outcome as Rejected;
  if (status === 403) return { ...rejection, why: "invalid_request" };
  const isToken = tokenErrors.has(rejection.acquirerErrorCode) && rejection.why !== "credentials";
  return isToken ? { ...rejection, why: "wallet_token" } : rejection;
}

/** Returns the outcome of a payment. */
export function outcomeOf(
  intent: JsonObject,
  sent: SentPayment,
  now: Date,
): AuthorizationOutcome | Uncharged {
  const id = textOf(intent, "id");
  if (id === null || intent.object !== "payment_intent") return unknown("the payment has no ID");
  if (textOf(objectOf(intent, "metadata"), chargeKey) !== sent.reference) {
    return unknown("the response has a different reference from the request");
  }
  const price = moneyOf(intent, "amount");
  if (
    !price ||
    price.currency !== sent.price.currency ||
    price.amountMinor !== sent.price.amountMinor
  ) {
    return unknown("the payment has a different amount from the request");
  }
  switch (intent.status as keyof typeof statusOutcomes) {
    case "succeeded":
      return isRefunded(intent) ? { kind: "ended" } : approval(intent, id, "amount_received");
    case "requires_capture":
      return approval(intent, id, "amount_capturable");
    case "requires_action":
      return redirection(intent, id);
    case "processing":
      return { kind: "pending", acquirerReference: id };
    case "canceled":
      return { kind: "ended" };
    case "requires_confirmation":
      return { kind: "unconfirmed", paymentIntent: id };
    case "requires_payment_method":
      return isJsonObject(intent.last_payment_error)
        ? decline(intent.last_payment_error, id, intent.latest_charge, now)
        : { kind: "unconfirmed", paymentIntent: id };
    default:
      return unknown("the status of the payment is unknown");
  }
}

/** Returns whether the whole payment was refunded, for example because the service reversed it. */
function isRefunded({ latest_charge: charge }: JsonObject): boolean {
  return isJsonObject(charge) && charge.refunded === true;
}

function approval(intent: JsonObject, id: string, field: string): AuthorizationOutcome {
  const approved = moneyOf(intent, field);
  if (approved === null || approved.amountMinor === 0) {
    return unknown("the approved amount is missing");
  }
  const details = detailsOf(id, intent.latest_charge);
  return { kind: "approved", approvedMinor: approved.amountMinor, details };
}

/** Returns the decline of a PaymentIntent or SetupIntent. `charge` is its charge or its latest attempt. */
export function decline(
  error: JsonObject,
  id: string,
  charge: unknown,
  now: Date,
): AuthorizationOutcome {
  const declined = {
    code: textOf(error, "code"),
    declineCode: textOf(error, "decline_code"),
    networkDeclineCode: textOf(error, "network_decline_code"),
    networkAdviceCode: textOf(error, "network_advice_code"),
    adviceCode: textOf(error, "advice_code"),
  };
  const details = { ...detailsOf(id, charge), networkAdviceCode: declined.networkAdviceCode };
  return { kind: "declined", details, ...declineOf(declined, now) };
}

/** Returns the redirect. The page must use HTTPS, or be the page of a fake acquirer on this machine. */
export function redirection(intent: JsonObject, id: string): AuthorizationOutcome {
  const url = textOf(objectOf(objectOf(intent, "next_action"), "redirect_to_url"), "url");
  if (url === null || !isSafePage(url)) return unknown("the redirect is missing or invalid");
  return {
    kind: "requires_action",
    redirect: { url, method: "GET", fields: {} },
    resume: id,
    acquirerReference: id,
  };
}

/**
 * Returns the ID of the payment in the response to its creation or to a search. Returns null if the search found no
 * payment.
 */
export function foundPayment(
  response: HttpResponse,
  reference: string,
):
  | { readonly kind: "found"; readonly id: string | null }
  | Rejected
  | UnknownOutcome
  | RetrySameRequest {
  const body = parseJsonObject(response.body);
  if (response.status !== 200) return failureOf(response, errorOf(body));
  if (body?.object === "payment_intent") {
    const id = textOf(body, "id");
    return id === null ? unknown("the payment has no ID") : { kind: "found", id };
  }
  if (body?.object !== "search_result" || !Array.isArray(body.data)) {
    return unknown("the body is not a payment");
  }
  const own = body.data.filter(
    (found) => isJsonObject(found) && textOf(objectOf(found, "metadata"), chargeKey) === reference,
  );
  // A payment with a charge is preferred to one that an inquiry has created.
  const charged = own.find((found) => found.latest_charge !== null) ?? own[0];
  return { kind: "found", id: charged === undefined ? null : textOf(charged, "id") };
}

export type SentOperation = {
  readonly kind: OperationKind;
  readonly reference: string;
  readonly paymentIntent: string;
  readonly price: Money;
};

/** Returns the outcome of a response to a capture, cancellation or refund. */
export function operationOutcome(
  response: HttpResponse,
  sent: SentOperation,
): OperationOutcome | RetrySameRequest {
  const body = parseJsonObject(response.body);
  if (response.status !== 200) return failureOf(response, errorOf(body));
  if (body === null) return unknown("the body is not a JSON object");
  return sent.kind === "refund" ? refundOutcome(body, sent) : intentOperation(body, sent);
}

function intentOperation(intent: JsonObject, sent: SentOperation): OperationOutcome {
  const id = textOf(intent, "id");
  if (id !== sent.paymentIntent) return unknown("the response is for a different payment");
  const isDone =
    sent.kind === "void"
      ? intent.status === "canceled"
      : intent.status === "succeeded" && hasAmount(intent, "amount_received", sent.price);
  return isDone
    ? { kind: "done", acquirerReference: id }
    : unknown("the payment has another status");
}

function refundOutcome(refund: JsonObject, sent: SentOperation): OperationOutcome {
  const isOurs =
    textOf(objectOf(refund, "metadata"), operationKey) === sent.reference &&
    hasAmount(refund, "amount", sent.price);
  if (!isOurs) return unknown("the response is for a different refund");
  const acquirerReference = textOf(refund, "id");
  switch (refund.status) {
    case "succeeded":
      return { kind: "done", acquirerReference };
    case "pending":
    case "requires_action":
      return { kind: "pending", acquirerReference };
    case "failed":
    case "canceled":
      return {
        kind: "declined",
        code: "processing_error",
        reason: textOf(refund, "failure_reason"),
      };
    default:
      return unknown("the status of the refund is unknown");
  }
}

/**
 * Returns the outcome of an operation. The outcome of a capture or cancellation is read from the state of its payment,
 * and the outcome of a refund from the list of refunds.
 */
export function operationFound(
  response: HttpResponse,
  sent: SentOperation,
): OperationOutcome | RetrySameRequest | { readonly kind: "not_found" } {
  const body = parseJsonObject(response.body);
  if (response.status !== 200) return failureOf(response, errorOf(body));
  if (body === null) return unknown("the body is not a JSON object");
  if (sent.kind === "refund") {
    const { data } = body;
    if (!Array.isArray(data)) return unknown("the body is not a list of refunds");
    const own = data.find(
      (one) =>
        isJsonObject(one) && textOf(objectOf(one, "metadata"), operationKey) === sent.reference,
    );
    if (own) return refundOutcome(own, sent);
    return body.has_more === true
      ? unknown("the list of refunds is not complete")
      : { kind: "not_found" };
  }
  if (body.status === "requires_capture") return { kind: "not_found" };
  const outcome = intentOperation(body, sent);
  // Another capture or cancellation has ended the payment, so Stripe will never execute this one.
  const isEnded = body.status === "canceled" || body.status === "succeeded";
  return outcome.kind === "unknown" && isEnded && textOf(body, "id") === sent.paymentIntent
    ? { kind: "declined", code: "processing_error", reason: `The payment is ${body.status}.` }
    : outcome;
}

/** Returns whether a cancellation ended the payment. `captured` means that only a refund can return the money. */
export function cancellationOutcome(
  response: HttpResponse,
): { readonly kind: "canceled" | "captured" } | UnknownOutcome | RetrySameRequest {
  const body = parseJsonObject(response.body);
  const error = errorOf(body);
  const intent = response.status === 200 ? body : error && objectOf(error, "payment_intent");
  if (intent?.status === "canceled") return { kind: "canceled" };
  if (intent?.status === "succeeded") return { kind: "captured" };
  const failure = failureOf(response, error);
  return failure.kind === "rejected" ? unknown("the cancellation was rejected") : failure;
}

/** Returns whether the refund of a reversed payment was accepted. */
export function reversalOutcome(
  response: HttpResponse,
): { readonly kind: "reversed" | "pending" } | UnknownOutcome | RetrySameRequest {
  const body = parseJsonObject(response.body);
  if (response.status === 200) {
    if (body?.status === "succeeded") return { kind: "reversed" };
    return body?.status === "pending" ? { kind: "pending" } : unknown("the refund failed");
  }
  const error = errorOf(body);
  if ((error && textOf(error, "code")) === "charge_already_refunded") return { kind: "reversed" };
  const failure = failureOf(response, error);
  return failure.kind === "rejected" ? unknown("the refund was rejected") : failure;
}

/** The parameters of the card in an error (`param` of docs.stripe.com/api/errors). */
const cardParam = /(?:^|\[)(?:number|cvc|exp_month|exp_year)\]?$/;

/**
 * Returns the outcome of an unsuccessful response. Only an error in Stripe's format shows that Stripe did not process
 * the request. Stripe stores the response of an executed request under the idempotency key even if it is a 500, so a
 * repeated request would return the 500 again (docs.stripe.com/api/idempotent_requests). An inquiry finds the outcome.
 */
export function failureOf(
  { status }: HttpResponse,
  error: JsonObject | null,
): Rejected | RetrySameRequest | UnknownOutcome {
  const lost = unknown(`the response has status ${status}`);
  const type = error && textOf(error, "type");
  if (error === null || type === null) return lost;
  const code = textOf(error, "code") ?? type;
  switch (status) {
    case 400:
    case 404:
      // Another request has the same key, so this response does not belong to our request.
      if (type === "idempotency_error") return lost;
      return rejected(
        cardParam.test(textOf(error, "param") ?? "") ? "card_data" : "invalid_request",
        code,
      );
    case 401:
    case 403:
      return rejected("credentials", code);
    case 402:
      return type === "card_error" ? rejected("card_data", code) : lost;
    case 409:
      return { kind: "retry_same_request", otherwise: lost };
    case 429:
      return { kind: "retry_same_request", otherwise: rejected("rate_limited", code) };
    default:
      return lost;
  }
}

/** Returns the error of an unsuccessful response, or null for a body in another format, such as a proxy's. */
export function errorOf(body: JsonObject | null): JsonObject | null {
  return body !== null && isJsonObject(body.error) ? body.error : null;
}

function moneyOf(fields: JsonObject, name: string): Money | null {
  const amount = numberOf(fields, name);
  const currency = textOf(fields, "currency");
  return amount === null || currency === null ? null : fromStripeAmount({ amount, currency });
}

function hasAmount(fields: JsonObject, name: string, price: Money): boolean {
  const money = moneyOf(fields, name);
  return money?.amountMinor === price.amountMinor && money.currency === price.currency;
}

function rejected(why: RejectionReason, acquirerErrorCode: string): Rejected {
  return { kind: "rejected", why, acquirerErrorCode };
}

export function unknown(problem: string): UnknownOutcome {
  return { kind: "unknown", why: "invalid_response", problem };
}
