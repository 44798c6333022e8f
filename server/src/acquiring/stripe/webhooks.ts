import { createHmac, timingSafeEqual } from "node:crypto";
import { type DisputeReason, disputeReasons } from "@florin/contract/dispute.ts";
import { parseId } from "../../core/ids.ts";
import type { Money } from "../../core/money.ts";
import { hmacKeysOf, type OpenConnection } from "../connections/connection-directory.ts";
import { type EventItem, notificationOfEvent, priceOfEvent } from "../event-item.ts";
import {
  isJsonObject,
  type JsonObject,
  numberOf,
  objectOf,
  parseJsonObject,
  textOf,
} from "../json-object.ts";
import type { LiveEvent, LiveNotification } from "../live-notification.ts";
import type {
  NotificationRequest,
  StoredItem,
  VerifiedNotifications,
} from "../verified-notification.ts";
import { fromStripeAmount } from "./currencies.ts";
import { declineOf } from "./decline-codes.ts";
import { detailsOf } from "./payment-details.ts";
import { chargeKey, operationKey } from "./requests.ts";

/**
 * Reads Stripe's events (docs.stripe.com/webhooks and docs.stripe.com/api/events/types). Stripe retries an event for up
 * to three days. Events arrive in any order. The signature covers the whole body.
 */
export type StripeItem = EventItem & {
  readonly status: string | null;
  /** The fields of a decline or a dispute, by Stripe's names. */
  readonly facts: Readonly<Record<string, string | number>>;
};

/**
 * The maximum age of a signature. As in the official package, an older one is rejected, so that a recorded request
 * cannot be replayed later. Stripe signs each delivery of an event again.
 */
const toleranceSeconds = 300;

/** Verifies the header `Stripe-Signature`, and reads the event. */
export function verifyNotifications(
  open: OpenConnection,
  { body, headers }: NotificationRequest,
  now: Date,
): VerifiedNotifications {
  const { current, previous } = hmacKeysOf(open, now);
  const header = headers["stripe-signature"];
  const signature = parseSignature(typeof header === "string" ? header : "");
  const isCurrent = signature !== null && isSigned(body, signature, current.reveal());
  const isSignedBefore =
    signature !== null && previous !== null && isSigned(body, signature, previous.reveal());
  const ageSeconds = signature === null ? 0 : now.getTime() / 1000 - signature.time;
  if ((!isCurrent && !isSignedBefore) || ageSeconds > toleranceSeconds) return { kind: "forged" };
  const item = readEvent(body, open.connection.settings.merchantAccount);
  if (item === null) return { kind: "malformed" };
  const { eventId: deduplicationKey, eventCode } = item;
  return {
    kind: "verified",
    notifications: [{ deduplicationKey, eventCode, item }],
    isCurrent,
  };
}

type Signature = { readonly time: number; readonly signatures: readonly Buffer[] };

/** Parses `t=…,v1=…,v1=…`. During a rotation of the secret, Stripe signs with both secrets. */
function parseSignature(header: string): Signature | null {
  let time: number | null = null;
  const signatures: Buffer[] = [];
  for (const pair of header.split(",")) {
    const [name, value = ""] = pair.split("=", 2);
    if (name === "t" && /^\d{1,12}$/.test(value)) time = Number(value);
    if (name === "v1" && /^[0-9a-f]{64}$/.test(value)) signatures.push(Buffer.from(value, "hex"));
  }
  return time === null || signatures.length === 0 ? null : { time, signatures };
}

/** Compares in constant time, with every signature of the header. */
function isSigned(body: string, { time, signatures }: Signature, secret: string): boolean {
  const expected = createHmac("sha256", secret).update(`${time}.${body}`).digest();
  return signatures.map((one) => timingSafeEqual(expected, one)).includes(true);
}

/**
 * Returns the fields of the event that are stored. They contain no personal data. Returns null for a malformed event.
 */
function readEvent(body: string, ownAccount: string): StripeItem | null {
  const event = parseJsonObject(body);
  const data = event && objectOf(event, "data").object;
  if (event?.object !== "event" || !isJsonObject(data)) return null;
  const eventId = textOf(event, "id");
  const eventCode = textOf(event, "type");
  const objectId = textOf(data, "id");
  const created = numberOf(event, "created");
  if (eventId === null || eventCode === null || typeof event.livemode !== "boolean") return null;
  const metadata = objectOf(data, "metadata");
  return {
    eventId,
    eventCode,
    live: event.livemode,
    // Only events of connected accounts name the account (docs.stripe.com/connect/webhooks).
    merchantAccount: textOf(event, "account") ?? ownAccount,
    merchantReference: textOf(metadata, operationKey) ?? textOf(metadata, chargeKey) ?? "",
    originalReference: eventCode.startsWith("payment_intent.")
      ? objectId
      : textOf(data, "payment_intent"),
    success: !eventCode.endsWith("failed"),
    createdAt: created === null ? null : new Date(created * 1000).toISOString(),
    objectId: objectId ?? "",
    amount: numberOf(data, amountField(data)),
    currency: textOf(data, "currency"),
    status: textOf(data, "status"),
    facts: factsOf(data),
  };
}

/** Returns the name of the field with the amount of the event. */
function amountField(data: JsonObject): string {
  if (data.object !== "payment_intent") return "amount";
  if (data.status === "succeeded") return "amount_received";
  return data.status === "requires_capture" ? "amount_capturable" : "amount";
}

const factNames = ["reason", "network_reason_code", "failure_reason", "capture_method"] as const;
const errorNames = [
  "code",
  "decline_code",
  "network_decline_code",
  "network_advice_code",
  "advice_code",
] as const;

function factsOf(data: JsonObject): Record<string, string | number> {
  const error = objectOf(data, "last_payment_error");
  const dueBy = numberOf(objectOf(data, "evidence_details"), "due_by");
  const brand = textOf(objectOf(objectOf(data, "payment_method_details"), "card"), "brand");
  const texts = [
    ...factNames.map((name) => [name, textOf(data, name)] as const),
    ...errorNames.map((name) => [name, textOf(error, name)] as const),
    ["brand", brand] as const,
    ["due_by", dueBy] as const,
  ];
  return Object.fromEntries(
    texts.flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
}

/** Returns the typed notification of a stored event. */
export function notificationOf(stored: StoredItem, now: Date): LiveNotification {
  const item = stored as StripeItem;
  return notificationOfEvent(item, priceOf(item), eventOf(item, now));
}

function priceOf(item: StripeItem): Money | null {
  return priceOfEvent(item, fromStripeAmount);
}

/**
 * The events that have an effect, each with a description of its meaning. The connector ignores all other events. A
 * cancellation is confirmed by its response, so the connector does not need the event of the cancellation.
 */
export const paymentEvents: Readonly<Record<string, string>> = {
  "payment_intent.succeeded": "the approval of a sale, or the capture of a hold",
  "payment_intent.amount_capturable_updated": "the approval of a hold",
  "payment_intent.payment_failed": "the decline of a payment",
  "refund.created": "the refund, if it has succeeded or failed",
  "refund.updated": "the refund, if it has succeeded or failed",
  "refund.failed": "the failure of a refund",
  "charge.dispute.created": "a new dispute or inquiry",
  "charge.dispute.updated":
    "the submission of evidence, or an inquiry that has become a chargeback",
  "charge.dispute.funds_withdrawn": "an inquiry that has become a chargeback",
  "charge.dispute.closed": "the outcome of a dispute",
  "payout.reconciliation_completed": "a payout whose movements can be listed",
};

function eventOf(item: StripeItem, now: Date): LiveEvent {
  switch (item.eventCode) {
    case "payment_intent.succeeded":
      // The event of a captured hold contains the reference of the capture.
      return isCapture(item) ? { kind: "capture", succeeded: true, reason: null } : approval(item);
    case "payment_intent.amount_capturable_updated":
      return approval(item);
    case "payment_intent.payment_failed":
      return declineEvent(item, now);
    case "refund.created":
    case "refund.updated":
    case "refund.failed":
      return refundEvent(item);
    case "charge.dispute.created":
    case "charge.dispute.updated":
    case "charge.dispute.funds_withdrawn":
    case "charge.dispute.closed":
      return disputeEvent(item);
    case "payout.reconciliation_completed":
      return { kind: "report_available", url: null };
    default:
      return { kind: "ignored" };
  }
}

function isCapture({ facts, merchantReference }: StripeItem): boolean {
  return facts.capture_method === "manual" || parseId("op", merchantReference) !== null;
}

function approval(item: StripeItem): LiveEvent {
  const details = detailsOf(item.originalReference ?? item.objectId, null);
  // An approval without a readable amount is reported as zero, which never equals the requested amount.
  const approvedMinor = priceOf(item)?.amountMinor ?? 0;
  return { kind: "authorization", outcome: { kind: "approved", approvedMinor, details } };
}

function declineEvent({ facts, objectId }: StripeItem, now: Date): LiveEvent {
  const text = (name: string) => (typeof facts[name] === "string" ? facts[name] : null);
  const networkAdviceCode = text("network_advice_code");
  const declined = declineOf(
    {
      code: text("code"),
      declineCode: text("decline_code"),
      networkDeclineCode: text("network_decline_code"),
      networkAdviceCode,
      adviceCode: text("advice_code"),
    },
    now,
  );
  const details = { ...detailsOf(objectId, null), networkAdviceCode };
  return { kind: "authorization", outcome: { kind: "declined", details, ...declined } };
}

/** Returns the event of a refund. A refund with the reference of a charge reverses the whole payment. */
function refundEvent({ status, facts, merchantReference }: StripeItem): LiveEvent {
  const reason = typeof facts.failure_reason === "string" ? facts.failure_reason : null;
  const failed = status === "failed" || status === "canceled";
  if (!failed && status !== "succeeded") return { kind: "ignored" };
  if (parseId("ch", merchantReference) !== null) {
    return { kind: "reversal", succeeded: !failed, executedAs: "refund", reason };
  }
  return failed ? { kind: "refund_failed", reason } : { kind: "refund", succeeded: true, reason };
}

function disputeEvent(item: StripeItem): LiveEvent {
  const { status, facts } = item;
  const isInquiry = status?.startsWith("warning") ?? false;
  const state = disputeState(item);
  if (state === null) return { kind: "ignored" };
  const text = (name: string) => (typeof facts[name] === "string" ? facts[name] : null);
  return {
    kind: "dispute",
    stage: isInquiry ? "inquiry" : "chargeback",
    state,
    status,
    reasonCode: text("network_reason_code"),
    reason: text("reason"),
    disputeReason: disputeReasonOf(text("reason")),
    scheme: text("brand"),
    defensePeriodEndsAt: typeof facts.due_by === "number" ? new Date(facts.due_by * 1000) : null,
    defendable: null,
    autoDefended: null,
    grossPrice: priceOf(item),
  };
}

/**
 * Returns the state of the dispute (`status` of docs.stripe.com/api/disputes/object), or null if it did not change. An
 * inquiry that becomes a chargeback keeps its ID, and its status changes to `needs_response`. Stripe does not document
 * whether it then sends `charge.dispute.updated` besides `charge.dispute.funds_withdrawn`.
 */
function disputeState({ eventCode, status }: StripeItem) {
  switch (eventCode) {
    case "charge.dispute.created":
      return "open" as const;
    case "charge.dispute.updated":
    case "charge.dispute.funds_withdrawn":
      if (status === "needs_response") return "open" as const;
      return status?.endsWith("under_review") ? ("responded" as const) : null;
    default:
      // Stripe closes an inquiry after 120 days, unless it has become a chargeback.
      if (status === "won" || status === "warning_closed") return "won" as const;
      return status === "lost" ? ("lost" as const) : null;
  }
}

/** Returns our reason. Our reasons have Stripe's names. A reason that does not apply to cards becomes `general`. */
function disputeReasonOf(reason: string | null): DisputeReason {
  return disputeReasons.find((known) => known === reason) ?? "general";
}

/** Returns the fields that operators see, by Stripe's names. */
export function shownFieldsOf(stored: StoredItem): Readonly<Record<string, string>> {
  const item = stored as StripeItem;
  const fields = {
    type: item.eventCode,
    id: item.eventId,
    livemode: item.live,
    account: item.merchantAccount,
    reference: item.merchantReference,
    object: item.objectId,
    payment_intent: item.originalReference,
    amount: item.amount,
    currency: item.currency,
    status: item.status,
    created: item.createdAt,
    ...item.facts,
  };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      value === null || value === "" ? [] : [[name, String(value)]],
    ),
  );
}
