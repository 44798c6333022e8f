import { createHmac } from "node:crypto";
import type { EventFacts, Notification } from "./notification.ts";

/** Returns the body of the request. Every attempt sends the same bytes. */
export function bodyOf({ facts, hmacKey, createdAt }: Notification): string {
  const item = {
    additionalData: { ...facts.additionalData, hmacSignature: signatureOf(facts, hmacKey) },
    amount: facts.amount,
    eventCode: facts.eventCode,
    eventDate: eventDate(createdAt),
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
