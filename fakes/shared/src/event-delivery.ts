import { Agent } from "undici";
import type { Clock } from "./clock.ts";
import type { EventOutbox, OutboxEvent } from "./event-outbox.ts";

/** A signed event. */
export type EventMessage = {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** The parts of the delivery that differ between acquirers. */
export type EventSender<Event extends OutboxEvent> = {
  /** Returns the URL that receives the events of an account, or null. */
  readonly webhookUrlOf: (account: string) => string | null;
  readonly messageOf: (event: Event) => EventMessage;
  /** Returns a message with an invalid signature. */
  readonly forgedMessageOf: (event: Event) => EventMessage;
  /** Returns the time until the next attempt, or null if the event is abandoned. */
  readonly retryWaitMs: (attempts: number, ageMs: number) => number | null;
};

const responseTimeoutMs = 10_000;
const maxConcurrent = 64;

/** Sends events to the webhooks of their accounts, and repeats them until a 2xx response. */
export class EventDelivery<Event extends OutboxEvent> {
  readonly #outbox: EventOutbox<Event>;
  readonly #clock: Clock;
  readonly #sender: EventSender<Event>;
  readonly #agent = new Agent({ connections: maxConcurrent, pipelining: 1 });
  #closed = false;

  constructor(outbox: EventOutbox<Event>, clock: Clock, sender: EventSender<Event>) {
    this.#outbox = outbox;
    this.#clock = clock;
    this.#sender = sender;
  }

  /** Sends the events that were caused since the last call. */
  dispatchCaused(): void {
    this.dispatch(this.#outbox.takeCaused());
  }

  dispatch(ids: readonly string[]): void {
    for (const id of ids) void this.send(id);
  }

  /**
   * Sends one event and returns whether the webhook accepted it. The fault `forged_event` sends a forged event before
   * it.
   */
  async send(id: string): Promise<boolean> {
    const event = this.#outbox.events.get(id);
    if (!event) return false;
    const { messageOf, forgedMessageOf } = this.#sender;
    if (event.fault === "forged_event" && event.attempts === 0) {
      await this.#post(event.account, forgedMessageOf(event));
    }
    const delivered = await this.#post(event.account, messageOf(event));
    if (delivered && event.fault === "duplicate_event") {
      await this.#post(event.account, messageOf(event));
    }
    if (!this.#closed) this.#record(id, delivered);
    return delivered;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#agent.destroy();
  }

  async #post(account: string, { body, headers }: EventMessage): Promise<boolean> {
    const webhookUrl = this.#sender.webhookUrlOf(account);
    if (webhookUrl === null) return false;
    const url = new URL(webhookUrl);
    const response = await this.#agent
      .request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: "POST",
        headers,
        body,
        headersTimeout: responseTimeoutMs,
        bodyTimeout: responseTimeoutMs,
      })
      .catch(() => null);
    await response?.body.dump();
    return response !== null && response.statusCode >= 200 && response.statusCode < 300;
  }

  #record(id: string, delivered: boolean): void {
    const { events } = this.#outbox;
    const event = events.get(id);
    if (!event) return;
    const attempts = event.attempts + 1;
    if (delivered) {
      events.set(id, { ...event, attempts, state: "delivered" });
      return;
    }
    if (event.state !== "pending") {
      events.set(id, { ...event, attempts });
      return;
    }
    const now = this.#clock.nowMs();
    const waitMs = this.#sender.retryWaitMs(attempts, now - event.createdAt);
    events.set(id, { ...event, attempts, state: waitMs === null ? "abandoned" : "pending" });
    if (waitMs === null) return;
    this.#clock.schedule(now + waitMs, () => {
      if (events.get(id)?.state === "pending") this.dispatch([id]);
    });
  }
}
