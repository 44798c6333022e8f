import { createHmac, timingSafeEqual } from "node:crypto";
import { maskCardNumbers } from "../../core/card-number-in-text.ts";
import { parseId } from "../../core/ids.ts";
import type { Money } from "../../core/money.ts";
import { hmacKeysOf, type OpenConnection } from "../connections/connection-directory.ts";
import { type EventItem, notificationOfEvent, priceOfEvent } from "../event-item.ts";
import { type JsonObject, numberOf, objectOf, parseJsonObject, textOf } from "../json-object.ts";
import type { DisputeEvent, LiveEvent, LiveNotification } from "../live-notification.ts";
import type {
  NotificationRequest,
  StoredItem,
  VerifiedNotifications,
} from "../verified-notification.ts";
import { fromCheckoutComAmount } from "./currencies.ts";
import { disputeReasonOf } from "./dispute-reasons.ts";
import { detailsOf, merchantAdviceOf, networkOf } from "./payment-details.ts";
import { channelKey, reversedCharge } from "./requests.ts";
import { declineOf } from "./response-codes.ts";

/**
 * One event of Checkout.com (checkout.com/docs/developer-resources/event-notifications). Checkout.com retries a failed
 * delivery eight times within about 30 hours. Events arrive in any order. The signature covers the whole body but no
 * timestamp of the delivery, so an old event could be replayed. A replay has no effect, because each event is stored
 * only once.
 */
export type CheckoutComItem = EventItem & {
  /** True if the event is about a void or a refund that reverses the whole payment. */
  readonly isReversal: boolean;
  /** The fields of the event that `notificationOf` needs, without personal data. */
  readonly facts: Readonly<Record<string, string>>;
};

/** Verifies the header `Cko-Signature`, and reads the event. */
export function verifyNotifications(
  open: OpenConnection,
  { body, headers }: NotificationRequest,
  now: Date,
): VerifiedNotifications {
  const { current, previous } = hmacKeysOf(open, now);
  const header = headers["cko-signature"];
  const signature = typeof header === "string" ? readSignature(header) : null;
  const isCurrent = signature !== null && isSigned(body, signature, current.reveal());
  const isSignedBefore =
    signature !== null && previous !== null && isSigned(body, signature, previous.reveal());
  if (!isCurrent && !isSignedBefore) return { kind: "forged" };
  const item = readEvent(body, open);
  if (item === null) return { kind: "malformed" };
  const { eventId: deduplicationKey, eventCode } = item;
  return {
    kind: "verified",
    notifications: [{ deduplicationKey, eventCode, item }],
    isCurrent,
  };
}

/** Returns the bytes of a hexadecimal SHA-256, or null for any other text. */
function readSignature(header: string): Buffer | null {
  return /^[0-9a-fA-F]{64}$/.test(header) ? Buffer.from(header, "hex") : null;
}

/** Compares in constant time (checkout.com/docs/workflows, "HMAC"). */
function isSigned(body: string, signature: Buffer, key: string): boolean {
  return timingSafeEqual(createHmac("sha256", key).update(body).digest(), signature);
}

/** Returns the fields of the event that are stored. Returns null for a malformed event. */
function readEvent(body: string, { connection }: OpenConnection): CheckoutComItem | null {
  const event = parseJsonObject(body);
  if (event === null) return null;
  const data = objectOf(event, "data");
  const eventId = textOf(event, "id");
  const eventCode = textOf(event, "type");
  if (eventId === null || eventCode === null) return null;
  const isDispute = eventCode.startsWith("dispute_");
  const id = textOf(data, "id");
  const reference = textOf(data, isDispute ? "payment_reference" : "reference") ?? "";
  const reversed = reversedCharge(reference);
  return {
    eventId,
    eventCode,
    live: connection.environment === "live" && !isOfSandbox(event),
    merchantAccount: channelOf(data) ?? connection.settings.merchantAccount,
    merchantReference: reversed ?? reference,
    originalReference: isDispute ? textOf(data, "payment_id") : id,
    success: !eventCode.endsWith("_declined"),
    createdAt: timeText(event),
    objectId:
      (isDispute ? id : (textOf(data, "report_id") ?? textOf(data, "action_id") ?? id)) ?? "",
    isReversal: reversed !== null,
    amount: numberOf(data, "amount"),
    currency: textOf(data, "currency"),
    facts: factsOf(data),
  };
}

/** An event has no field for the environment. Its links name the host that sent it. */
function isOfSandbox(event: JsonObject): boolean {
  const href = textOf(objectOf(objectOf(event, "_links"), "self"), "href");
  return (
    href !== null && URL.canParse(href) && /\.?sandbox\.checkout\.com$/.test(new URL(href).hostname)
  );
}

/** Returns the processing channel. Events of payments contain it only in our metadata. */
function channelOf(data: JsonObject): string | null {
  return textOf(objectOf(data, "metadata"), channelKey) ?? textOf(data, "processing_channel_id");
}

function timeText(event: JsonObject): string | null {
  const time = new Date(textOf(event, "created_on") ?? textOf(event, "timestamp") ?? "");
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

const dataFacts = [
  "response_code",
  "response_summary",
  "auth_code",
  "eci",
  "scheme_id",
  "category",
  "reason_code",
  "payment_method",
  "evidence_required_by",
  "report_type",
] as const;
const sourceFacts = [
  "scheme",
  "card_type",
  "issuer_country",
  "last_4",
  "avs_check",
  "cvv_check",
] as const;
const processingFacts = ["recommendation_code", "partner_merchant_advice_code"] as const;

function factsOf(data: JsonObject): Record<string, string> {
  const { tags } = data;
  const payout = Array.isArray(tags) ? tags.find((tag) => /^payout_id:.{1,60}$/.test(tag)) : null;
  const texts = [
    ...dataFacts.map((name) => [name, textOf(data, name)] as const),
    ...sourceFacts.map((name) => [name, textOf(objectOf(data, "source"), name)] as const),
    ...processingFacts.map((name) => [name, textOf(objectOf(data, "processing"), name)] as const),
    ["payout", typeof payout === "string" ? payout.slice("payout_id:".length) : null] as const,
  ];
  // A network transaction ID can have the form of a card number, which must not be stored.
  return Object.fromEntries(
    texts.flatMap(([name, value]) => (value === null ? [] : [[name, maskCardNumbers(value)]])),
  );
}

/** Returns the typed notification of a stored event. */
export function notificationOf(stored: StoredItem, now: Date): LiveNotification {
  const item = stored as CheckoutComItem;
  return notificationOfEvent(item, priceOf(item), eventOf(item, now));
}

function priceOf(item: CheckoutComItem): Money | null {
  return priceOfEvent(item, fromCheckoutComAmount);
}

/**
 * The events of payments that have an effect, each with a description of its meaning
 * (checkout.com/docs/developer-resources/event-notifications/event-types). The connector ignores all other events.
 */
export const paymentEvents: Readonly<Record<string, string>> = {
  payment_approved: "the approval of a payment",
  payment_declined: "the decline of a payment",
  card_verified: "the verification of a card",
  card_verification_declined: "the decline of a card verification",
  payment_captured: "a capture",
  payment_capture_declined: "the failure of a capture",
  payment_voided: "the void of an authorization",
  payment_expired: "the expiry of an authorization",
  payment_void_declined: "the failure of a void",
  payment_refunded: "a refund",
  payment_refund_declined: "the failure of a refund",
  report_generated: "a settlement report that can be downloaded",
};

/** The state of a dispute after each dispute event (same page). */
export const disputeEvents: Readonly<Record<string, Pick<DisputeEvent, "stage" | "state">>> = {
  dispute_evidence_required: { stage: "chargeback", state: "open" },
  dispute_evidence_submitted: { stage: "chargeback", state: "responded" },
  dispute_won: { stage: "chargeback", state: "won" },
  dispute_lost: { stage: "chargeback", state: "lost" },
  dispute_accepted: { stage: "chargeback", state: "lost" },
  dispute_expired: { stage: "chargeback", state: "lost" },
  // The issuer withdrew the dispute, and the account is credited.
  dispute_canceled: { stage: "chargeback", state: "won" },
  dispute_resolved: { stage: "chargeback", state: "won" },
  dispute_arbitration_won: { stage: "arbitration", state: "won" },
  dispute_arbitration_lost: { stage: "arbitration", state: "lost" },
};

/** The type of the report that the connector reads (`report_type` of `report_generated`). */
const reportType = "FinancialActions";

function eventOf(item: CheckoutComItem, now: Date): LiveEvent {
  const { eventCode, facts, isReversal, merchantReference } = item;
  const reason = reasonOf(facts);
  const isOfCharge = parseId("ch", merchantReference) !== null;
  switch (eventCode) {
    case "payment_approved":
    case "card_verified":
      return approval(item);
    case "payment_declined":
    case "card_verification_declined":
      return declineEvent(item, now);
    case "payment_captured":
      // The capture event of a sale has the reference of the payment. It is ignored, because the approval of the sale
      // is already recorded.
      return isOfCharge ? { kind: "ignored" } : { kind: "capture", succeeded: true, reason: null };
    case "payment_capture_declined":
      return isOfCharge
        ? { kind: "capture_failed", reason }
        : { kind: "capture", succeeded: false, reason };
    case "payment_expired":
      return { kind: "authorization_expired" };
    case "payment_voided":
      if (isReversal) return reversal("cancellation", true, null);
      return isOfCharge
        ? { kind: "authorization_expired" }
        : { kind: "cancellation", succeeded: true, reason: null };
    case "payment_void_declined":
      if (isReversal) return reversal("cancellation", false, reason);
      return isOfCharge ? { kind: "ignored" } : { kind: "cancellation", succeeded: false, reason };
    case "payment_refunded":
      if (isReversal) return reversal("refund", true, null);
      return { kind: "refund", succeeded: true, reason: null };
    case "payment_refund_declined":
      if (isReversal) return reversal("refund", false, reason);
      return isOfCharge ? { kind: "ignored" } : { kind: "refund", succeeded: false, reason };
    case "report_generated":
      return facts.report_type === reportType
        ? { kind: "report_available", url: null }
        : { kind: "ignored" };
    default:
      return Object.hasOwn(disputeEvents, eventCode) ? disputeOf(item) : { kind: "ignored" };
  }
}

function reversal(
  executedAs: "cancellation" | "refund",
  succeeded: boolean,
  reason: string | null,
): LiveEvent {
  return { kind: "reversal", succeeded, executedAs, reason };
}

/** Returns the payment's fields in the form of a response, from which the details are read. */
function paymentOf({ facts }: CheckoutComItem): JsonObject {
  return { ...facts, source: facts, processing: facts };
}

function approval(item: CheckoutComItem): LiveEvent {
  const details = detailsOf(item.originalReference ?? item.objectId, paymentOf(item));
  // An approval without a readable amount is reported as zero, which never equals the requested amount.
  const approvedMinor = priceOf(item)?.amountMinor ?? 0;
  return { kind: "authorization", outcome: { kind: "approved", approvedMinor, details } };
}

function declineEvent(item: CheckoutComItem, now: Date): LiveEvent {
  const payment = paymentOf(item);
  const details = detailsOf(item.originalReference ?? item.objectId, payment);
  const declined = declineOf(
    {
      responseCode: item.facts.response_code ?? null,
      recommendationCode: item.facts.recommendation_code ?? null,
      merchantAdviceCode: merchantAdviceOf(payment),
      network: networkOf(item.facts.scheme ?? null),
    },
    now,
  );
  return { kind: "authorization", outcome: { kind: "declined", details, ...declined } };
}

function reasonOf(facts: CheckoutComItem["facts"]): string | null {
  const text = [facts.response_code, facts.response_summary].filter(Boolean).join(" ");
  return text === "" ? null : text;
}

function disputeOf(item: CheckoutComItem): LiveEvent {
  const { facts } = item;
  const { stage, state } = disputeEvents[item.eventCode] as Pick<DisputeEvent, "stage" | "state">;
  const deadline = new Date(facts.evidence_required_by ?? "");
  return {
    kind: "dispute",
    stage,
    state,
    status: null,
    reasonCode: facts.reason_code ?? null,
    reason: facts.category ?? null,
    disputeReason: disputeReasonOf(facts.category ?? null),
    scheme: facts.payment_method ?? null,
    defensePeriodEndsAt: Number.isNaN(deadline.getTime()) ? null : deadline,
    defendable: null,
    autoDefended: null,
    grossPrice: priceOf(item),
  };
}

/** Returns the fields that operators see, by Checkout.com's names. */
export function shownFieldsOf(stored: StoredItem): Readonly<Record<string, string>> {
  const item = stored as CheckoutComItem;
  const fields = {
    type: item.eventCode,
    id: item.eventId,
    processing_channel_id: item.merchantAccount,
    reference: item.merchantReference,
    object: item.objectId,
    payment_id: item.originalReference,
    amount: item.amount,
    currency: item.currency,
    created_on: item.createdAt,
    ...item.facts,
  };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      value === null || value === "" ? [] : [[name, String(value)]],
    ),
  );
}
