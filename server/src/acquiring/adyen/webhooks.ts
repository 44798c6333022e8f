import assert from "node:assert/strict";
import { createHmac, hash, timingSafeEqual } from "node:crypto";
import { maskCardNumbers } from "../../core/card-number-in-text.ts";
import type { Money } from "../../core/money.ts";
import { isJsonObject, type JsonObject, parseJsonObject } from "../json-object.ts";
import type { DisputeEvent, LiveEvent, LiveNotification } from "../live-notification.ts";
import { parseReference } from "../request-fields.ts";
import type { StoredItem } from "../verified-notification.ts";
import {
  type AdditionalData,
  booleanOf,
  detailsOf,
  networkOf,
  textOf,
} from "./authorization-details.ts";
import { type AdyenAmount, fromAdyenAmount } from "./currencies.ts";
import { declineOf, refusalCodeNamed } from "./decline-codes.ts";
import { disputeReasonOf } from "./dispute-reasons.ts";

/**
 * Reads Adyen's standard webhooks: Webhooks-v1.json in the public repository Adyen/adyen-openapi, and
 * docs.adyen.com/development-resources/webhooks. Adyen retries a webhook for up to 30 days. Webhooks arrive in any
 * order.
 *
 * The signature covers eight fields. It does not cover `live`, `reason`, `eventDate` and `additionalData`.
 */
export type NotificationItem = StoredItem & {
  readonly live: boolean;
  readonly eventCode: string;
  readonly success: boolean;
  readonly pspReference: string;
  /** The `pspReference` of the payment. Set only for events after the authorization. */
  readonly originalReference: string | null;
  readonly merchantAccount: string;
  readonly merchantReference: string;
  readonly amount: AdyenAmount | null;
  readonly createdAt: Date | null;
  readonly reason: string | null;
  readonly paymentMethod: string | null;
  readonly additionalData: AdditionalData;
};

/** Returns the items of a webhook's body. Returns null unless the whole body has Adyen's format. */
export function readItems(body: string): NotificationItem[] | null {
  const request = parseJsonObject(body);
  if (request === null || !Array.isArray(request.notificationItems)) return null;
  const live = booleanOf(request.live);
  if (live === null || request.notificationItems.length === 0) return null;
  const items = request.notificationItems.map((wrapper: unknown) =>
    isJsonObject(wrapper) ? readItem(wrapper.NotificationRequestItem, live) : null,
  );
  return items.every((item) => item !== null) ? items : null;
}

function readItem(item: unknown, live: boolean): NotificationItem | null {
  if (!isJsonObject(item)) return null;
  const eventCode = nonEmptyText(item.eventCode);
  const success = booleanOf(item.success);
  const pspReference = nonEmptyText(item.pspReference);
  const merchantAccount = nonEmptyText(item.merchantAccountCode);
  const amount = readAmount(item.amount);
  if (eventCode === null || success === null || pspReference === null) return null;
  if (merchantAccount === null || amount === "invalid") return null;
  return {
    live,
    eventCode,
    success,
    pspReference,
    originalReference: nonEmptyText(item.originalReference),
    merchantAccount,
    merchantReference: nonEmptyText(item.merchantReference) ?? "",
    amount,
    createdAt: timeOf(nonEmptyText(item.eventDate)),
    reason: nonEmptyText(item.reason),
    paymentMethod: nonEmptyText(item.paymentMethod),
    additionalData: isJsonObject(item.additionalData) ? item.additionalData : {},
  };
}

/**
 * Returns the item in the form in which it is stored: without the signature, and with card numbers masked. Adyen sends
 * no card numbers, so the masking is only a precaution.
 */
export function toStoredItem(item: NotificationItem): NotificationItem {
  const { hmacSignature: _, ...additionalData } = item.additionalData;
  const reason = item.reason === null ? null : maskCardNumbers(item.reason);
  return { ...item, reason, additionalData: maskedFields(additionalData) };
}

/**
 * Masks each value separately, because most values are too short for a card number. The search of the whole object as
 * one text takes several times as long, and this code runs for every notification.
 */
function maskedFields(fields: JsonObject): JsonObject {
  const masked: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    masked[maskCardNumbers(name)] = maskedValue(value);
  }
  return masked;
}

function maskedValue(value: unknown): unknown {
  if (typeof value === "string") return maskCardNumbers(value);
  if (typeof value === "number") {
    const text = String(value);
    const masked = maskCardNumbers(text);
    return masked === text ? value : masked;
  }
  if (Array.isArray(value)) return value.map(maskedValue);
  return isJsonObject(value) ? maskedFields(value) : value;
}

/** Restores an item from the stored form that `toStoredItem` returns. */
export function fromStoredItem(stored: StoredItem): NotificationItem {
  const item = stored as NotificationItem;
  return { ...item, createdAt: item.createdAt === null ? null : new Date(item.createdAt) };
}

/**
 * Returns the amount of the item, or null if the item has no amount. Without an amount, the signature covers two empty
 * strings in place of the value and the currency.
 */
function readAmount(amount: unknown): AdyenAmount | "invalid" | null {
  if (amount === undefined || amount === null) return null;
  if (!isJsonObject(amount)) return "invalid";
  const { currency, value } = amount;
  if (typeof currency !== "string" || !Number.isSafeInteger(value)) return "invalid";
  return { currency, value: value as number };
}

/** The keys that sign a connection's webhooks. The previous key is accepted for a while after a rotation. */
export type HmacKeys = { readonly current: Uint8Array; readonly previous: Uint8Array | null };

/**
 * Parses an HMAC key as Adyen's Customer Area displays it: 32 bytes in hexadecimal. Returns null for any other text.
 */
export function readHmacKey(text: string): Uint8Array | null {
  return /^[0-9A-Fa-f]{64}$/.test(text) ? Buffer.from(text, "hex") : null;
}

/**
 * Returns whether Adyen signed the item
 * (docs.adyen.com/development-resources/webhooks/secure-webhooks/verify-hmac-signatures). Each comparison takes
 * constant time. If there are two keys, both are always tried.
 */
export function isAuthentic(item: NotificationItem, keys: HmacKeys): boolean {
  const signature = textOf(item.additionalData, "hmacSignature") ?? "";
  const wellFormed = /^[0-9A-Za-z+/]{43}=$/.test(signature);
  const received = wellFormed ? Buffer.from(signature, "base64") : Buffer.alloc(32);
  const accepted = keys.previous === null ? [keys.current] : [keys.current, keys.previous];
  const matches = accepted.map((key) => timingSafeEqual(signatureOf(item, key), received));
  return wellFormed && matches.includes(true);
}

function signatureOf(item: NotificationItem, key: Uint8Array): Buffer {
  assert.equal(key.length, 32, "An HMAC key has 32 bytes.");
  const signed = [
    item.pspReference,
    item.originalReference ?? "",
    item.merchantAccount,
    item.merchantReference,
    item.amount === null ? "" : String(item.amount.value),
    item.amount?.currency ?? "",
    item.eventCode,
    String(item.success),
  ].join(":");
  return createHmac("sha256", key).update(signed, "utf8").digest();
}

type StageAndState = {
  readonly stage: NonNullable<DisputeEvent["stage"]>;
  readonly state: DisputeEvent["state"];
};

/**
 * The dispute events (docs.adyen.com/risk-management/disputes-api/dispute-notifications). `reversed` is not final: a
 * second chargeback can follow. The amounts that a dispute moves are in the settlement report, not in the event.
 */
export const disputeEvents: Readonly<Record<string, StageAndState>> = {
  REQUEST_FOR_INFORMATION: { stage: "inquiry", state: "open" },
  NOTIFICATION_OF_CHARGEBACK: { stage: "chargeback", state: "open" },
  CHARGEBACK: { stage: "chargeback", state: "open" },
  INFORMATION_SUPPLIED: { stage: "chargeback", state: "responded" },
  DISPUTE_DEFENSE_PERIOD_ENDED: { stage: "chargeback", state: "undefended" },
  CHARGEBACK_REVERSED: { stage: "chargeback", state: "reversed" },
  ISSUER_RESPONSE_TIMEFRAME_EXPIRED: { stage: "chargeback", state: "won" },
  SECOND_CHARGEBACK: { stage: "chargeback", state: "second_chargeback" },
  PREARBITRATION_OPEN: { stage: "pre_arbitration", state: "open" },
  // These events do not state which party accepted or declined. A WON or LOST event follows.
  PREARBITRATION_ACCEPTED: { stage: "pre_arbitration", state: "responded" },
  PREARBITRATION_DECLINED: { stage: "pre_arbitration", state: "responded" },
  PREARBITRATION_ISSUER_WITHDRAWN: { stage: "pre_arbitration", state: "won" },
  PREARBITRATION_WON: { stage: "pre_arbitration", state: "won" },
  PREARBITRATION_LOST: { stage: "pre_arbitration", state: "lost" },
  SCHEME_ARBITRATION: { stage: "arbitration", state: "open" },
  SCHEME_ARBITRATION_WON: { stage: "arbitration", state: "won" },
  SCHEME_ARBITRATION_LOST: { stage: "arbitration", state: "lost" },
};

/** The events of payments and reports. The connector ignores events that are neither here nor in `disputeEvents`. */
export const paymentEvents = {
  AUTHORISATION: "authorization",
  CAPTURE: "capture",
  CAPTURE_FAILED: "capture_failed",
  CANCELLATION: "cancellation",
  TECHNICAL_CANCEL: "technical_cancellation",
  REFUND: "refund",
  REFUND_FAILED: "refund_failed",
  REFUNDED_REVERSED: "refund_reversed",
  CANCEL_OR_REFUND: "reversal",
  EXPIRE: "authorization_expired",
  REPORT_AVAILABLE: "report_available",
} as const satisfies Record<string, LiveEvent["kind"]>;

/**
 * Returns the key that identifies the event. Repeated deliveries of the same event have the same key. The key contains
 * every field that `mismatchOf` compares. Otherwise, after a notification with a wrong value, the correct notification
 * would be discarded as a repetition. The key is a short hash, because each notification stores it in its row and in an
 * index.
 */
export function deduplicationKeyOf(item: NotificationItem): string {
  const { eventCode, pspReference, merchantReference, success, createdAt } = item;
  const { live, merchantAccount, amount } = item;
  const compared = [live, merchantAccount, amount?.value, amount?.currency];
  const identity = [eventCode, pspReference, merchantReference, success, createdAt, ...compared];
  return hash("sha256", JSON.stringify(identity), "base64url");
}

/**
 * Returns the typed notification of an item whose signature was verified. `adyenOrigin` is the origin of a local fake
 * that is used instead of Adyen's server.
 */
export function notificationOf(
  item: NotificationItem,
  now: Date,
  adyenOrigin?: string,
): LiveNotification {
  return {
    eventCode: item.eventCode,
    live: item.live,
    merchantAccount: item.merchantAccount,
    reference: parseReference(item.merchantReference),
    acquirerReference: item.pspReference,
    paymentReference:
      item.eventCode === "AUTHORISATION" ? item.pspReference : item.originalReference,
    price: item.amount === null ? null : fromAdyenAmount(item.amount),
    createdAt: item.createdAt,
    event: eventOf(item, now, adyenOrigin),
  };
}

/** The prefix of the `pspReference` in notifications that the Customer Area sends to test a webhook. */
const testReference = "test_";

function eventOf(item: NotificationItem, now: Date, adyenOrigin?: string): LiveEvent {
  const { eventCode, success: succeeded, reason } = item;
  if (item.pspReference.startsWith(testReference)) return { kind: "ignored" };
  if (Object.hasOwn(disputeEvents, eventCode)) return disputeOf(item);
  if (!Object.hasOwn(paymentEvents, eventCode)) return { kind: "ignored" };
  const kind = paymentEvents[eventCode as keyof typeof paymentEvents];
  switch (kind) {
    case "authorization":
      return authorizationOf(item, now);
    case "capture":
    case "cancellation":
    case "refund":
    case "technical_cancellation":
      return { kind, succeeded, reason };
    case "reversal":
      return { kind, succeeded, reason, executedAs: reversalAction(item.additionalData) };
    case "capture_failed":
    case "refund_failed":
    case "refund_reversed":
      return succeeded ? { kind, reason } : { kind: "ignored" };
    case "authorization_expired":
      return succeeded ? { kind } : { kind: "ignored" };
    case "report_available":
      return succeeded
        ? { kind, url: reportUrl(reason, item.live, adyenOrigin) }
        : { kind: "ignored" };
  }
}

function authorizationOf(item: NotificationItem, now: Date): LiveEvent {
  const details = detailsOf(item.pspReference, item.additionalData, item.paymentMethod);
  const price = item.amount === null ? null : fromAdyenAmount(item.amount);
  if (item.success) {
    // An approval without a readable amount is reported as zero, which never equals the requested amount.
    const approvedMinor = price?.amountMinor ?? 0;
    return { kind: "authorization", outcome: { kind: "approved", approvedMinor, details } };
  }
  const decline = declineOf(
    {
      resultCode: "Refused",
      refusalReasonCode: refusalCodeNamed(item.reason),
      refusalReasonRaw: textOf(item.additionalData, "refusalReasonRaw"),
      merchantAdviceCode: details.networkAdviceCode,
      network: networkOf(item.paymentMethod),
    },
    now,
  );
  return { kind: "authorization", outcome: { kind: "declined", details, ...decline } };
}

function reversalAction(data: AdditionalData): "cancellation" | "refund" | null {
  const action = textOf(data, "modification.action");
  return action === "cancel" ? "cancellation" : action === "refund" ? "refund" : null;
}

function disputeOf(item: NotificationItem): LiveEvent {
  const data = item.additionalData;
  const known = disputeEvents[item.eventCode] as StageAndState;
  const { state } = known;
  const chargebackCode = textOf(data, "chargebackReasonCode");
  const inquiryCode = textOf(data, "rfiReasonCode");
  let stage: DisputeEvent["stage"] = known.stage;
  const isResponse = state === "responded" || state === "undefended";
  if (stage === "chargeback" && isResponse && chargebackCode === null) {
    // These events have the same event code for an inquiry and for a chargeback. Only the reason code differs.
    stage = inquiryCode === null ? null : "inquiry";
  }
  const code = chargebackCode ?? inquiryCode;
  // The text is trimmed, because Adyen's examples have a space before the code.
  const reasonCode = code?.trim() ?? null;
  return {
    kind: "dispute",
    stage,
    state,
    status: textOf(data, "disputeStatus"),
    reasonCode,
    reason: item.reason,
    disputeReason: disputeReasonOf(reasonCode),
    scheme: textOf(data, "chargebackSchemeCode") ?? textOf(data, "rfiSchemeCode"),
    defensePeriodEndsAt: timeOf(textOf(data, "defensePeriodEndsAt")),
    defendable: booleanOf(data.defendable),
    autoDefended: booleanOf(data.autoDefended),
    grossPrice: grossPriceOf(data),
  };
}

function grossPriceOf(data: AdditionalData): Money | null {
  const currency = textOf(data, "grossCurrency");
  const value = textOf(data, "grossValue");
  if (currency === null || value === null || !/^\d{1,15}$/.test(value)) return null;
  return fromAdyenAmount({ currency, value: Number(value) });
}

/**
 * Returns the URL of a report if it is on the host of the Customer Area, or on `adyenOrigin` if that is given. The
 * signature does not cover the URL, so it cannot be trusted without this check.
 */
function reportUrl(text: string | null, live: boolean, adyenOrigin?: string): string | null {
  if (text === null || !URL.canParse(text)) return null;
  const url = new URL(text);
  const host = live ? "ca-live.adyen.com" : "ca-test.adyen.com";
  const expected = adyenOrigin === undefined ? `https://${host}` : new URL(adyenOrigin).origin;
  const isAdyens = url.origin === expected && url.username === "";
  return isAdyens && url.password === "" ? url.href : null;
}

/** Returns the value if it is a text that is not empty, and null otherwise. */
function nonEmptyText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function timeOf(text: string | null): Date | null {
  if (
    text === null ||
    !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)$/.test(text)
  ) {
    return null;
  }
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? null : time;
}
