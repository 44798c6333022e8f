import { appendFileSync, mkdirSync, readFileSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import type { Event } from "@florin/contract/event.ts";
import { applyEvent, type Order, orderIdOf } from "./order.ts";

/** A received webhook, for the list of webhooks. */
export type ReceivedWebhook = {
  readonly at: number;
  readonly orderId: string | null;
  readonly effect: string;
  readonly event: Event | null;
};

/** The maximum number of received webhooks in memory. Anyone can send a webhook, so the list must be bounded. */
const maxReceived = 100;

/**
 * Stores the orders in a map and, if a directory is given, in a file with one JSON line for each change. A real shop
 * uses a database, and writes an event and its effect on the order in one transaction.
 */
export class OrderStore {
  readonly #orders = new Map<string, Order>();
  readonly #seenEvents = new Set<string>();
  readonly #received: ReceivedWebhook[] = [];
  readonly #watchers = new Set<(orderId: string | null) => void>();
  readonly #file: string | null;

  constructor(directory: string | undefined) {
    this.#file = directory ? join(directory, "orders.jsonl") : null;
    if (directory) mkdirSync(directory, { recursive: true });
    if (this.#file) for (const line of completeLines(this.#file)) this.#applyLine(JSON.parse(line));
  }

  find(id: string | undefined): Order | undefined {
    return id === undefined ? undefined : this.#orders.get(id);
  }

  save(order: Order): void {
    this.#write({ order });
  }

  /** Applies a verified event once, even if the event is delivered several times. */
  receive(event: Event): ReceivedWebhook {
    const orderId = orderIdOf(event);
    const order = this.find(orderId ?? undefined);
    if (this.#seenEvents.has(event.id)) {
      return this.#show({
        orderId,
        event,
        effect: "duplicate event: no action needed",
        at: Date.now(),
      });
    }
    const effect = order ? applyEvent(order, event) : null;
    const effectText = effect?.effect ?? (orderId ? "unknown order" : "not related to an order");
    const received = { orderId, event, effect: effectText, at: Date.now() };
    this.#write({ received, ...(effect && { order: effect.order }) });
    return received;
  }

  /** Records a rejected webhook for display, in memory only. */
  reject(reason: string): void {
    this.#show({ orderId: null, event: null, effect: `rejected: ${reason}`, at: Date.now() });
  }

  /** Returns the webhooks of one order or of all orders, newest first. */
  received(orderId?: string): ReceivedWebhook[] {
    return this.#received.filter((each) => orderId === undefined || each.orderId === orderId);
  }

  /** Calls the watcher after each change. Returns a function that unsubscribes it. */
  watch(watcher: (orderId: string | null) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  #write(line: Line): void {
    // One flushed append writes the event and its effect, so after a crash either both exist or neither does. If
    // neither exists, Florin has received no 2xx and sends the event again.
    if (this.#file) appendLine(this.#file, JSON.stringify(line));
    this.#applyLine(line);
    this.#notify(line.order?.id ?? null);
  }

  #applyLine({ order, received }: Line): void {
    if (order) this.#orders.set(order.id, order);
    if (!received) return;
    if (received.event) this.#seenEvents.add(received.event.id);
    this.#addReceived(received);
  }

  #show(received: ReceivedWebhook): ReceivedWebhook {
    this.#addReceived(received);
    this.#notify(received.orderId);
    return received;
  }

  #addReceived(received: ReceivedWebhook): void {
    this.#received.unshift(received);
    this.#received.length = Math.min(this.#received.length, maxReceived);
  }

  #notify(orderId: string | null): void {
    for (const watcher of this.#watchers) watcher(orderId);
  }
}

type Line = { order?: Order; received?: ReceivedWebhook };

/** Appends a line. If this fails, removes the part that was written, so that the next append starts a new line. */
function appendLine(file: string, line: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  try {
    appendFileSync(file, `${line}\n`, { flush: true });
  } catch (error) {
    truncateSync(file, size);
    throw error;
  }
}

/**
 * Returns the complete lines of the file. A crash during an append leaves a partial line. This line is removed, so that
 * the next append starts a new line.
 */
function completeLines(file: string): string[] {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    return [];
  }
  const end = bytes.lastIndexOf("\n") + 1;
  if (end < bytes.length) truncateSync(file, end);
  return bytes.toString("utf8", 0, end).split("\n").filter(Boolean);
}
