import { randomBytes } from "node:crypto";
import type { Event } from "@florin/contract/event.ts";
import { findProduct } from "./catalogue.ts";

/** What the shop knows of one order. Nothing here does any I/O: an order goes in, an order comes out. */
export type Order = {
  readonly id: string;
  readonly status: "cart" | "awaiting_payment" | "paid";
  readonly lines: Readonly<Record<string, number>>;
  /** Counts the checkout sessions of this order; part of the idempotency key of each. */
  readonly attempt: number;
  readonly session: { readonly id: string; readonly embedUrl: string } | null;
  /** Why the last card was refused, until one is accepted. */
  readonly decline: { readonly code: string; readonly message: string } | null;
  readonly payment: {
    readonly chargeId: string;
    readonly card: string;
    readonly at: number;
  } | null;
  /** The newest `version` seen of each of Florin's objects. */
  readonly versions: Readonly<Record<string, number>>;
};

/** The id is all that protects an order's page, so nobody may guess one. */
export function newOrder(): Order {
  return {
    id: `order_${randomBytes(16).toString("hex")}`,
    status: "cart",
    lines: {},
    attempt: 1,
    session: null,
    decline: null,
    payment: null,
    versions: {},
  };
}

/** What customers read: the last letters of the id. */
export function orderNumber(order: Order): string {
  return order.id.slice(-6).toUpperCase();
}

export type OrderLine = { id: string; name: string; amount: number; quantity: number };

export function linesOf(order: Order): OrderLine[] {
  return Object.entries(order.lines).flatMap(([id, quantity]) => {
    const product = findProduct(id);
    return product ? [{ id, name: product.name, amount: product.price, quantity }] : [];
  });
}

/** Counted here, from our own prices: what a browser says something costs is not to be believed. */
export function totalOf(order: Order): number {
  return linesOf(order).reduce((sum, line) => sum + line.amount * line.quantity, 0);
}

export function countOf(order: Order): number {
  return linesOf(order).reduce((sum, line) => sum + line.quantity, 0);
}

export const largestQuantity = 20;

export function withQuantity(order: Order, productId: string, quantity: number): Order {
  if (order.status !== "cart" || !findProduct(productId)) return order;
  const { [productId]: _, ...others } = order.lines;
  const wanted = Math.min(Math.max(0, Math.trunc(quantity) || 0), largestQuantity);
  return { ...order, lines: wanted === 0 ? others : { ...order.lines, [productId]: wanted } };
}

/** What an event did, in words that the panel of webhooks shows. */
export type Applied = { order: Order; effect: string };

/**
 * What a verified event means for its order. Events may come twice, late, and in any order; whatever comes when, the
 * order ends up the same.
 */
export function applyEvent(order: Order, event: Event): Applied {
  const object = event.data.object as PaymentFacts;
  const seen = order.versions[object.id];
  // Each object carries a version that only grows: an older picture of it than ours is no news.
  if (seen !== undefined && object.version < seen) {
    return { order, effect: "older than what we know: dropped" };
  }
  const known = { ...order, versions: { ...order.versions, [object.id]: object.version } };

  switch (event.type) {
    case "payment.succeeded":
      if (order.status === "paid") return { order: known, effect: "the order was paid already" };
      // It is our money: what was paid must be what was asked for.
      if (object.amount !== totalOf(order)) {
        return { order: known, effect: "the amount is not the order's: a person must look" };
      }
      return {
        order: {
          ...known,
          status: "paid",
          decline: null,
          payment: { chargeId: object.id, card: cardWords(object), at: event.created },
        },
        effect: "marked the order paid",
      };
    case "payment_failed":
      // A refusal of an earlier card may arrive after the success of a later one.
      if (order.status === "paid")
        return { order: known, effect: "the order is paid: no harm done" };
      return {
        order: {
          ...known,
          decline: {
            code: object.decline_code ?? object.failure_code ?? "card_declined",
            message: object.failure_message ?? "The bank declined the card.",
          },
        },
        effect: "noted the decline; the order stays open",
      };
    default:
      return { order: known, effect: "nothing to do" };
  }
}

/** The fields of a charge that the shop reads. Its `client_reference_id` is the session's: our order id. */
type PaymentFacts = {
  id: string;
  version: number;
  amount?: number;
  client_reference_id?: string | null;
  decline_code?: string | null;
  failure_code?: string | null;
  failure_message?: string | null;
  payment_method_details?: { card?: { brand: string; last4: string } };
};

export function orderIdOf(event: Event): string | null {
  return (event.data.object as PaymentFacts).client_reference_id ?? null;
}

function cardWords({ payment_method_details }: PaymentFacts): string {
  const card = payment_method_details?.card;
  if (!card) return "card";
  return `${card.brand.charAt(0).toUpperCase()}${card.brand.slice(1)} ending in ${card.last4}`;
}
