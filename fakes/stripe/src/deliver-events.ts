import { createHmac } from "node:crypto";
import { Agent } from "undici";
import type { Platform } from "./platform.ts";
import type { StoredEvent } from "./records.ts";

const hourMs = 60 * 60 * 1000;

/**
 * The delays between attempts. Stripe repeats an event for up to three days with growing delays
 * (docs.stripe.com/webhooks).
 */
const retryWaitsMs = [1_000, 60_000, 300_000, hourMs, 4 * hourMs, 12 * hourMs];

const abandonAfterMs = 3 * 24 * hourMs;
const responseTimeoutMs = 10_000;
const maxConcurrent = 64;

/** Sends events to the endpoints of their accounts, and repeats them until a 2xx response. */
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

  /** Sends one event and returns whether the endpoint accepted it. */
  async send(id: string): Promise<boolean> {
    const event = this.#platform.events.get(id);
    if (!event) return false;
    const isForged = event.fault === "forged_event" && event.attempts === 0;
    const delivered = await this.#post(event, isForged);
    if (delivered && event.fault === "duplicate_event") await this.#post(event, false);
    if (!this.#closed) this.#record(id, delivered);
    return delivered;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#agent.destroy();
  }

  async #post(event: StoredEvent, isForged: boolean): Promise<boolean> {
    const { webhookUrl, webhookSecret, previousWebhookSecret } = this.#platform.account(
      event.account,
    );
    if (webhookUrl === null) return false;
    const url = new URL(webhookUrl);
    const seconds = this.#platform.nowSeconds();
    const secrets = isForged ? ["whsec_forged"] : [webhookSecret, previousWebhookSecret];
    const response = await this.#agent
      .request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: "POST",
        headers: {
          "content-type": "application/json; charset=utf-8",
          "stripe-signature": signatureOf(event.body, seconds, secrets),
        },
        body: event.body,
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
    events.set(id, { ...event, attempts });
    if (event.state !== "pending" || clock.nowMs() - event.createdAt > abandonAfterMs) return;
    const waitMs = retryWaitsMs[attempts - 1] ?? (retryWaitsMs.at(-1) as number);
    clock.schedule(clock.nowMs() + waitMs, () => this.dispatch([id]));
  }
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
