import { createHmac, randomBytes } from "node:crypto";
import type { Amount } from "./amount.ts";
import type { NotificationFault } from "./faults.ts";
import type { EventCode, Notification } from "./notification.ts";
import type { Platform } from "./platform.ts";

/** The facts of an event (schemas `…NotificationRequestItem` of Webhooks-v1). */
export type EventFacts = {
  readonly merchantAccount: string;
  readonly eventCode: EventCode;
  readonly pspReference: string;
  readonly originalReference: string | null;
  readonly merchantReference: string;
  readonly amount: Amount;
  readonly success: boolean;
  readonly reason: string;
  readonly paymentMethod: string | null;
  readonly operations: readonly string[] | null;
  readonly additionalData: Readonly<Record<string, string>>;
};

/**
 * Records the notifications of an event and returns the ids of those to dispatch. Like Adyen, records none for a merchant
 * account without a webhook URL.
 */
export function recordEvent(
  platform: Platform,
  facts: EventFacts,
  fault: NotificationFault | null,
): string[] {
  if (platform.account(facts.merchantAccount).webhookUrl === null) return [];
  const real = newNotification(platform, facts, false);
  switch (fault) {
    case "lost_notification":
      return record(platform, [{ ...real, state: { kind: "lost" } }]);
    case "duplicate_notification":
      return record(platform, [real, { ...real, id: newId(platform) }]);
    case "forged_notification":
      return record(platform, [newNotification(platform, forge(facts), true), real]);
    default:
      return record(platform, [real]);
  }
}

function record(platform: Platform, notifications: readonly Notification[]): string[] {
  for (const notification of notifications) {
    platform.state.put("notifications", notification.id, notification);
  }
  return notifications.filter(({ state }) => state.kind === "pending").map(({ id }) => id);
}

/** Returns the facts with the opposite result, to detect a receiver that does not verify signatures. */
function forge(facts: EventFacts): EventFacts {
  return { ...facts, success: !facts.success, reason: "" };
}

function newNotification(platform: Platform, facts: EventFacts, forged: boolean): Notification {
  const account = platform.account(facts.merchantAccount);
  const key = forged ? randomBytes(32).toString("hex") : account.hmacKey;
  const now = platform.clock.nowMs();
  return {
    id: newId(platform),
    merchantAccount: facts.merchantAccount,
    eventCode: facts.eventCode,
    pspReference: facts.pspReference,
    merchantReference: facts.merchantReference,
    createdAt: now,
    forged,
    body: bodyOf(facts, key, now),
    state: account.delivery === "held" ? { kind: "held" } : { kind: "pending", dueAt: now },
    attempts: 0,
    problem: null,
  };
}

function newId(platform: Platform): string {
  return `ntf_${platform.nextNumber()}`;
}

function bodyOf(facts: EventFacts, hmacKey: string, now: number): string {
  const item = {
    additionalData: { ...facts.additionalData, hmacSignature: signatureOf(facts, hmacKey) },
    amount: facts.amount,
    eventCode: facts.eventCode,
    eventDate: eventDate(now),
    merchantAccountCode: facts.merchantAccount,
    merchantReference: facts.merchantReference,
    ...(facts.operations === null ? {} : { operations: facts.operations }),
    ...(facts.originalReference === null ? {} : { originalReference: facts.originalReference }),
    ...(facts.paymentMethod === null ? {} : { paymentMethod: facts.paymentMethod }),
    pspReference: facts.pspReference,
    reason: facts.reason,
    success: facts.success ? "true" : "false",
  };
  return JSON.stringify({ live: "false", notificationItems: [{ NotificationRequestItem: item }] });
}

/** Returns the base64 HMAC-SHA256 of eight fields (docs.adyen.com/development-resources/webhooks/secure-webhooks). */
function signatureOf(facts: EventFacts, hmacKey: string): string {
  const signed = [
    facts.pspReference,
    facts.originalReference ?? "",
    facts.merchantAccount,
    facts.merchantReference,
    facts.amount.value,
    facts.amount.currency,
    facts.eventCode,
    facts.success,
  ].join(":");
  return createHmac("sha256", Buffer.from(hmacKey, "hex")).update(signed).digest("base64");
}

/** Returns the time with seconds and an offset, as in `2021-07-17T13:42:40+00:00`. */
export function eventDate(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}+00:00`;
}
