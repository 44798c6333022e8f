import { createHmac } from "node:crypto";
import { Agent } from "undici";
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

const responseTimeoutMs = 10_000;
const maxConcurrent = 64;

/** Sends events to the webhooks of their accounts, and repeats them until a 2xx response. */
export class EventDelivery {
  readonly #platform: Platform;
  readonly #agent = new Agent({ connections: maxConcurrent, pipelining: 1 });
  #closed = false;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  dispatch(ids: readonly string[]): void {
    for (const id of ids) void this.send(id);
  }

  /** Sends one event and returns whether the webhook accepted it. */
  async send(id: string): Promise<boolean> {
    const event = this.#platform.events.get(id);
    if (!event) return false;
    if (event.fault === "forged_event" && event.attempts === 0) {
      await this.#post(event.account, forgedBody(event), "forged");
    }
    const { webhookSecret } = this.#platform.account(event.account);
    const delivered = await this.#post(event.account, event.body, webhookSecret);
    if (delivered && event.fault === "duplicate_event") {
      await this.#post(event.account, event.body, webhookSecret);
    }
    if (!this.#closed) this.#record(id, delivered);
    return delivered;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#agent.destroy();
  }

  async #post(account: string, body: string, secret: string): Promise<boolean> {
    const { webhookUrl } = this.#platform.account(account);
    if (webhookUrl === null) return false;
    const url = new URL(webhookUrl);
    const response = await this.#agent
      .request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: "POST",
        headers: { "content-type": "application/json", "cko-signature": signatureOf(body, secret) },
        body,
        headersTimeout: responseTimeoutMs,
        bodyTimeout: responseTimeoutMs,
      })
      .catch(() => null);
    await response?.body.dump();
    return response !== null && response.statusCode >= 200 && response.statusCode < 300;
  }

  #record(id: string, delivered: boolean): void {
    const { events, clock } = this.#platform;
    const event = events.get(id);
    if (!event) return;
    const attempts = event.attempts + 1;
    if (delivered) {
      events.set(id, { ...event, attempts, state: "delivered" });
      return;
    }
    const waitMs = retryWaitsMs[attempts - 1];
    if (event.state !== "pending" || waitMs === undefined) {
      const state = event.state === "pending" ? "abandoned" : event.state;
      events.set(id, { ...event, attempts, state });
      return;
    }
    events.set(id, { ...event, attempts });
    clock.schedule(clock.nowMs() + waitMs, () => {
      if (events.get(id)?.state === "pending") this.dispatch([id]);
    });
  }
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
