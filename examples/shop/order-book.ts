import { appendFileSync, mkdirSync, readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import type { Event } from "@florin/contract/event.ts";
import { applyEvent, type Order, orderIdOf } from "./order.ts";

/** A webhook as it came, for the panel that shows them. */
export type Received = {
  readonly at: number;
  readonly orderId: string | null;
  readonly effect: string;
  readonly event: Event | null;
};

/** Strangers can fill the list of refused webhooks, so it has an end. */
const mostKept = 100;

/**
 * The shop's memory: a map, and a file of one JSON line for each change when a directory is given. A real shop has a
 * database here; what must stay is that an event and what it did to the order are written **together**.
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

  /** Applies a verified event once, however often it comes. */
  receive(event: Event): Received {
    const orderId = orderIdOf(event);
    const order = this.find(orderId ?? undefined);
    if (this.#seenEvents.has(event.id)) {
      return this.#show({ orderId, event, effect: "seen before: nothing to do", at: Date.now() });
    }
    const effect = order ? applyEvent(order, event) : null;
    const words = effect?.effect ?? (orderId ? "no such order here" : "not about an order");
    const received = { orderId, event, effect: words, at: Date.now() };
    this.#write({ received, ...(effect && { order: effect.order }) });
    return received;
  }

  /** Keeps a refused webhook in sight, in memory only. */
  refuse(why: string): void {
    this.#show({ orderId: null, event: null, effect: `refused: ${why}`, at: Date.now() });
  }

  /** Newest first; for one order, or all. */
  received(orderId?: string): Received[] {
    return this.#received.filter((each) => orderId === undefined || each.orderId === orderId);
  }

  /** Calls back after each change; returns how to stop. */
  watch(watcher: (orderId: string | null) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  #write(line: Line): void {
    // One line, one append, flushed: after a crash both the event and its effect are there, or neither, and then
    // Florin, which had no 2xx, sends the event again.
    if (this.#file) appendFileSync(this.#file, `${JSON.stringify(line)}\n`, { flush: true });
    this.#remember(line);
    this.#tell(line.order?.id ?? null);
  }

  #remember({ order, received }: Line): void {
    if (order) this.#orders.set(order.id, order);
    if (!received) return;
    if (received.event) this.#seenEvents.add(received.event.id);
    this.#keep(received);
  }

  #show(received: Received): Received {
    this.#keep(received);
    this.#tell(received.orderId);
    return received;
  }

  #keep(received: Received): void {
    this.#received.unshift(received);
    this.#received.length = Math.min(this.#received.length, mostKept);
  }

  #tell(orderId: string | null): void {
    for (const watcher of this.#watchers) watcher(orderId);
  }
}

type Line = { order?: Order; received?: Received };

/** A crash in the middle of an append leaves half a line: it is cut off, or the next one would be glued to it. */
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
