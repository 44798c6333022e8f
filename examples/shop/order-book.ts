import { appendFileSync, mkdirSync, readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import type { Event } from "@florin/contract/event.ts";
import { applyEvent, type Order, orderIdOf } from "./order.ts";

/** A received webhook, for the panel of webhooks. */
export type Received = {
  readonly at: number;
  readonly orderId: string | null;
  readonly effect: string;
  readonly event: Event | null;
};

/** The maximum number of rejected webhooks in memory. Anyone can send one, so the list must be bounded. */
const maxKept = 100;

/**
 * Stores the orders in a map and, if a directory is given, in a file with one JSON line for each change. A real shop
 * uses a database. It must also write an event and its effect on the order **together**.
 */
export class OrderBook {
  readonly #orders = new Map<string, Order>();
  readonly #seenEvents = new Set<string>();
  readonly #received: Received[] = [];
  readonly #watchers = new Set<(orderId: string | null) => void>();
  readonly #file: string | null;

  constructor(directory: string | undefined) {
    this.#file = directory ? join(directory, "orders.jsonl") : null;
    if (directory) mkdirSync(directory, { recursive: true });
    if (this.#file) for (const line of wholeLines(this.#file)) this.#remember(JSON.parse(line));
  }

  find(id: string | undefined): Order | undefined {
    return id === undefined ? undefined : this.#orders.get(id);
  }

  save(order: Order): void {
    this.#write({ order });
  }

  /** Applies a verified event once, however often it is delivered. */
  receive(event: Event): Received {
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
    const words = effect?.effect ?? (orderId ? "unknown order" : "not related to an order");
    const received = { orderId, event, effect: words, at: Date.now() };
    this.#write({ received, ...(effect && { order: effect.order }) });
    return received;
  }

  /** Records a rejected webhook for display, in memory only. */
  reject(why: string): void {
    this.#show({ orderId: null, event: null, effect: `rejected: ${why}`, at: Date.now() });
  }

  /** Returns the webhooks of one order or of all orders, newest first. */
  received(orderId?: string): Received[] {
    return this.#received.filter((each) => orderId === undefined || each.orderId === orderId);
  }

  /** Calls the watcher after each change. Returns a function that unsubscribes it. */
  watch(watcher: (orderId: string | null) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  #write(line: Line): void {
    // One flushed append per line: after a crash, either both the event and its effect exist or neither does. In the
    // second case Florin received no 2xx and sends the event again.
    if (this.#file) appendFileSync(this.#file, `${JSON.stringify(line)}\n`, { flush: true });
    this.#remember(line);
    this.#notify(line.order?.id ?? null);
  }

  #remember({ order, received }: Line): void {
    if (order) this.#orders.set(order.id, order);
    if (!received) return;
    if (received.event) this.#seenEvents.add(received.event.id);
    this.#keep(received);
  }

  #show(received: Received): Received {
    this.#keep(received);
    this.#notify(received.orderId);
    return received;
  }

  #keep(received: Received): void {
    this.#received.unshift(received);
    this.#received.length = Math.min(this.#received.length, maxKept);
  }

  #notify(orderId: string | null): void {
    for (const watcher of this.#watchers) watcher(orderId);
  }
}

type Line = { order?: Order; received?: Received };

/**
 * Returns the complete lines. A crash during an append leaves a partial line, which is removed so that the next one is
 * not appended to it.
 */
function wholeLines(file: string): string[] {
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
