import type { VerificationId } from "../../core/ids.ts";
import { idempotencyKey, type KeyedConnection } from "../idempotency-key.ts";
import {
  isJsonObject,
  type JsonObject,
  objectOf,
  parseJsonObject,
  textOf,
} from "../json-object.ts";
import type { AuthorizationOutcome, HttpResponse, RetrySameRequest } from "../outcome.ts";
import { safeReference } from "../request-fields.ts";
import { detailsOf } from "./payment-details.ts";
import {
  type Confirmation,
  cardOptions,
  paymentMethodData,
  type StripeRequest,
  safeId,
} from "./requests.ts";
import { decline, errorOf, failureOf, redirection, unknown } from "./responses.ts";

/**
 * Verifies cards with Stripe's SetupIntents, because a PaymentIntent cannot have the amount zero
 * (docs.stripe.com/payments/setup-intents). A SetupIntent moves no money, so one request creates and confirms it.
 * Stripe returns no network transaction ID for a SetupIntent.
 */

/** The metadata key under which a SetupIntent contains our reference. */
const verificationKey = "florin_verification";

/** The prefix of the IDs of SetupIntents. */
const setupPrefix = "seti_";

export type SetupConfirmation = Omit<Confirmation, "reference"> & {
  readonly reference: VerificationId;
};

/** Returns the request that verifies a card. Stripe executes a repeated request with the same key only once. */
export function setupRequest(
  connection: KeyedConnection,
  confirmation: SetupConfirmation,
): StripeRequest {
  const { reference, redirect } = confirmation;
  return {
    method: "POST",
    path: "/v1/setup_intents",
    idempotencyKey: idempotencyKey(connection, "verify", reference),
    body: {
      confirm: "true",
      usage: "off_session",
      allowed_payment_method_types: ["card"],
      payment_method_data: paymentMethodData(confirmation),
      payment_method_options: { card: setupOptions(confirmation) },
      ...(redirect === null ? {} : { return_url: redirect.returnUrl }),
      metadata: { [verificationKey]: safeReference(reference) },
      expand: ["latest_attempt"],
    },
  };
}

/**
 * Returns the card options. If 3-D Secure is required, requests a challenge, because the cardholder agrees to later
 * payments in their absence.
 */
function setupOptions(confirmation: SetupConfirmation) {
  const options = cardOptions(confirmation);
  return confirmation.redirect?.required
    ? { ...options, request_three_d_secure: "challenge" }
    : options;
}

export function retrieveSetupRequest(setupIntent: string): StripeRequest {
  const path = `/v1/setup_intents/${safeId("seti", setupIntent)}?expand[]=latest_attempt`;
  return { method: "GET", path, idempotencyKey: null, body: null };
}

/** Returns whether the ID is that of a SetupIntent. */
export function isSetupIntent(id: string): boolean {
  return id.startsWith(setupPrefix);
}

/** Returns the outcome of a response that contains a SetupIntent. */
export function setupOutcome(
  response: HttpResponse,
  reference: string,
  now: Date,
): AuthorizationOutcome | RetrySameRequest {
  const body = parseJsonObject(response.body);
  if (response.status === 200) {
    return body === null
      ? unknown("the body is not a JSON object")
      : outcomeOf(body, reference, now);
  }
  const error = errorOf(body);
  const named = error?.setup_intent;
  // The error of a declined card contains the SetupIntent.
  if (response.status === 402 && isJsonObject(named)) return outcomeOf(named, reference, now);
  return failureOf(response, error);
}

function outcomeOf(intent: JsonObject, reference: string, now: Date): AuthorizationOutcome {
  const id = textOf(intent, "id");
  if (id === null || intent.object !== "setup_intent") return unknown("the SetupIntent has no ID");
  if (textOf(objectOf(intent, "metadata"), verificationKey) !== reference) {
    return unknown("the response has a different reference from the request");
  }
  switch (intent.status) {
    case "succeeded":
      return { kind: "approved", approvedMinor: 0, details: detailsOf(id, intent.latest_attempt) };
    case "requires_action":
      return redirection(intent, id);
    case "processing":
      return { kind: "pending", acquirerReference: id };
    case "canceled":
      return { kind: "not_sent" };
    case "requires_payment_method":
      return isJsonObject(intent.last_setup_error)
        ? decline(intent.last_setup_error, id, intent.latest_attempt, now)
        : unknown("the SetupIntent has no card");
    default:
      return unknown("the status of the SetupIntent is unknown");
  }
}
