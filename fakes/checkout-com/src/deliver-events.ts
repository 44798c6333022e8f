import { createHmac } from "node:crypto";
import { EventDelivery, type EventMessage } from "@florin/shared-fake/event-delivery.ts";
import type { Platform } from "./platform.ts";
import type { StoredEvent } from "./records.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/**
 * The delays before each of the eight further attempts, after which the event is canceled
 * (checkout.com/docs/workflows).
 */
const retryWaitsMs = [
  5 * minuteMs,
  10 * minuteMs,
  15 * minuteMs,
  30 * minuteMs,
  hourMs,
  4 * hourMs,
  12 * hourMs,
  12 * hourMs,
];

/** Starts the delivery of events to the webhooks of their accounts. */
export function startEventDelivery(platform: Platform): EventDelivery<StoredEvent> {
  return new EventDelivery(platform.outbox, platform.clock, {
    webhookUrlOf: (account) => platform.account(account).webhookUrl,
    messageOf: ({ account, body }) => signed(body, platform.account(account).webhookSecret),
    forgedMessageOf: (event) => signed(forgedBody(event), "forged"),
    retryWaitMs: (attempts) => retryWaitsMs[attempts - 1] ?? null,
  });
}

function signed(body: string, secret: string): EventMessage {
  return {
    body,
    headers: { "content-type": "application/json", "cko-signature": signatureOf(body, secret) },
  };
}

/**
 * Returns the header `Cko-Signature`: the HMAC of the raw body in hexadecimal digits
 * (checkout.com/docs/developer-resources/webhooks/manage-webhooks/set-up-your-webhook-receiver).
 */
function signatureOf(body: string, secret: string): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}

/** The event type with the opposite outcome. */
const opposites: Readonly<Record<string, string>> = {
  payment_approved: "payment_declined",
  payment_declined: "payment_approved",
  payment_captured: "payment_capture_declined",
  payment_voided: "payment_void_declined",
  payment_refunded: "payment_refund_declined",
};

/** Returns an event with another ID that reports the opposite outcome. */
function forgedBody({ body, type }: StoredEvent): string {
  const event = JSON.parse(body);
  event.id = `evt_${"forged".padEnd(26, "2")}`;
  event.type = opposites[type] ?? type;
  if (event.data.response_code === "10000") event.data.response_code = "20005";
  else if (event.data.response_code !== undefined) event.data.response_code = "10000";
  return JSON.stringify(event);
}
