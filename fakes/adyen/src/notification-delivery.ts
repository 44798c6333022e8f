import { Agent } from "undici";
import type { Notification } from "./notification.ts";
import { bodyOf } from "./notification-body.ts";
import type { Platform } from "./platform.ts";

const minutes = (count: number) => count * 60_000;

/**
 * The waits between attempts (docs.adyen.com/development-resources/webhooks/troubleshoot). Adyen makes the first three
 * retries immediately. After the last wait, attempts continue every eight hours.
 */
const retryWaitsMs = [
  0,
  0,
  0,
  ...[2, 5, 10, 15, 30, 60, 120, 240, 480].map((count) => minutes(count)),
];

const abandonAfterMs = 30 * 24 * 60 * minutes(1);

/** Adyen counts an attempt as failed if no 2xx response arrives within ten seconds. */
const responseTimeoutMs = 10_000;

const maxConcurrent = 64;

/** Delivered notifications beyond this number are removed, so that a long benchmark does not fill the memory. */
const maxDelivered = 20_000;

/** Sends notifications to the receivers and repeats them until a 2xx response. */
export class NotificationDelivery {
  readonly #platform: Platform;
  readonly #agent = new Agent({ connections: maxConcurrent, pipelining: 1 });
  readonly #queue: string[] = [];
  readonly #delivered: string[] = [];
  #head = 0;
  #running = 0;
  #closed = false;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** Queues notifications for their next attempt. */
  dispatch(ids: readonly string[]): void {
    for (const id of ids) this.#queue.push(id);
    this.#startAttempts();
  }

  /** Queues the notifications that a previous process had not delivered. */
  resume(): void {
    for (const { id, state } of this.#platform.state.notifications.values()) {
      if (state.kind === "pending") this.#schedule(id, state.dueAt);
      if (state.kind === "delivered") this.#delivered.push(id);
    }
  }

  /** Sends one notification and returns true if the receiver accepted it. */
  async send(id: string): Promise<boolean> {
    const notification = this.#platform.state.notifications.get(id);
    if (!notification) return false;
    const problem = await this.#attempt(notification);
    if (this.#closed) return problem === null;
    this.#record(id, problem);
    return problem === null;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#agent.destroy();
  }

  #startAttempts(): void {
    while (this.#running < maxConcurrent && this.#head < this.#queue.length && !this.#closed) {
      const id = this.#queue[this.#head] as string;
      this.#head += 1;
      this.#running += 1;
      this.send(id).finally(() => {
        this.#running -= 1;
        this.#startAttempts();
      });
    }
    if (this.#head > 1024 && this.#head * 2 > this.#queue.length) {
      this.#queue.splice(0, this.#head);
      this.#head = 0;
    }
  }

  /** Returns null for a 2xx response, and otherwise the problem. */
  async #attempt(notification: Notification): Promise<string | null> {
    const { webhookUrl } = this.#platform.account(notification.facts.merchantAccount);
    if (webhookUrl === null) return "the merchant account has no webhook URL";
    if (!URL.canParse(webhookUrl)) return "the webhook URL is invalid";
    const status = await this.#post(new URL(webhookUrl), bodyOf(notification));
    if (typeof status === "string") return status;
    return status >= 200 && status < 300 ? null : `status ${status}`;
  }

  /**
   * Returns the status of the response, or the problem. Of undici's calls, `dispatch` does the least work per request.
   */
  #post(url: URL, body: string): Promise<number | string> {
    return new Promise((resolve) => {
      let status = 0;
      this.#agent.dispatch(
        {
          origin: url.origin,
          path: url.pathname + url.search,
          method: "POST",
          headers: { "content-type": "application/json; charset=utf-8" },
          body,
          headersTimeout: responseTimeoutMs,
          bodyTimeout: responseTimeoutMs,
        },
        {
          onRequestStart() {},
          onResponseStart(_, code) {
            status = code;
          },
          onResponseData() {},
          onResponseEnd() {
            resolve(status);
          },
          onResponseError(_, error) {
            resolve(error.message);
          },
        },
      );
    });
  }

  #record(id: string, problem: string | null): void {
    const { state, clock } = this.#platform;
    const notification = state.notifications.get(id);
    if (!notification) return;
    const now = clock.nowMs();
    const attempts = notification.attempts + 1;
    const changed = { ...notification, attempts, problem };
    if (problem === null) {
      state.put("notifications", id, {
        ...changed,
        state: { kind: "delivered", deliveredAt: now },
      });
      this.#delivered.push(id);
      if (this.#delivered.length > 2 * maxDelivered) this.#removeOldest();
    } else if (notification.state.kind !== "pending") {
      state.put("notifications", id, changed);
    } else if (now - notification.createdAt > abandonAfterMs) {
      state.put("notifications", id, { ...changed, state: { kind: "abandoned" } });
    } else {
      const dueAt = now + (retryWaitsMs[attempts - 1] ?? (retryWaitsMs.at(-1) as number));
      state.put("notifications", id, { ...changed, state: { kind: "pending", dueAt } });
      this.#schedule(id, dueAt);
    }
    state.commit();
  }

  #schedule(id: string, dueAt: number): void {
    this.#platform.clock.schedule(dueAt, () => this.dispatch([id]));
  }

  #removeOldest(): void {
    for (const id of this.#delivered.splice(0, maxDelivered)) {
      this.#platform.state.remove("notifications", id);
    }
  }
}
