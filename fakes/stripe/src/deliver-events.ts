import { createHmac } from "node:crypto";
import { EventDelivery } from "@florin/shared-fake/event-delivery.ts";
import type { Platform } from "./platform.ts";
import type { StoredEvent } from "./records.ts";

const hourMs = 60 * 60 * 1000;

/**
 * The delays between attempts. Stripe repeats an event for up to three days with growing delays
 * (docs.stripe.com/webhooks).
 */
const retryWaitsMs = [1_000, 60_000, 300_000, hourMs, 4 * hourMs, 12 * hourMs];

const abandonAfterMs = 3 * 24 * hourMs;

/** Starts the delivery of events to the endpoints of their accounts. */
export function startEventDelivery(platform: Platform): EventDelivery<StoredEvent> {
  const messageOf = (event: StoredEvent, secrets: readonly (string | null)[]) => ({
    body: event.body,
    headers: {
      "content-type": "application/json; charset=utf-8",
      "stripe-signature": signatureOf(event.body, platform.nowSeconds(), secrets),
    },
  });
  return new EventDelivery(platform.outbox, platform.clock, {
    webhookUrlOf: (account) => platform.account(account).webhookUrl,
    messageOf(event) {
      const { webhookSecret, previousWebhookSecret } = platform.account(event.account);
      return messageOf(event, [webhookSecret, previousWebhookSecret]);
    },
    forgedMessageOf: (event) => messageOf(event, ["whsec_forged"]),
    retryWaitMs(attempts, ageMs) {
      if (ageMs > abandonAfterMs) return null;
      return retryWaitsMs[attempts - 1] ?? (retryWaitsMs.at(-1) as number);
    },
  });
}

/** Returns the header `Stripe-Signature`. During a rotation it contains a signature of each secret. */
function signatureOf(body: string, seconds: number, secrets: readonly (string | null)[]): string {
  const signatures = secrets.flatMap((secret) =>
    secret === null
      ? []
      : [`v1=${createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")}`],
  );
  return [`t=${seconds}`, ...signatures].join(",");
}
