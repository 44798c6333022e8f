import { randomBytes } from "node:crypto";
import type { Event } from "@florin/contract/event.ts";
import { findProduct } from "./catalog.ts";

/** An order as the shop stores it. The functions of this file are pure: each takes an order and returns an order. */
export type Order = {
  readonly id: string;
  readonly status: "cart" | "awaiting_payment" | "paid";
  readonly lines: Readonly<Record<string, number>>;
  /** The number of the order's current checkout session. The session's idempotency key contains this number. */
  readonly attempt: number;
  readonly session: { readonly id: string; readonly embedUrl: string } | null;
  /** The last decline in the current session. Null if no card was declined in it, or if a card was accepted later. */
  readonly decline: { readonly code: string; readonly message: string } | null;
  readonly payment: {
    readonly chargeId: string;
    readonly card: string;
    readonly at: number;
    /** The account at Florin, for the link to the dashboard. */
    readonly account: string;
  } | null;
  /** The highest `version` that the shop has received for each Florin object, by the object's ID. */
  readonly versions: Readonly<Record<string, number>>;
};

/** Returns an order with a random ID. Only the ID protects the order's page, so the ID must not be guessable. */
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

/** Returns the order number that customers see: the last characters of the ID. */
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

/** Returns the total of the prices in the catalog. A price that a browser sends is not trusted. */
export function totalOf(order: Order): number {
  return linesOf(order).reduce((sum, line) => sum + line.amount * line.quantity, 0);
}

export function countOf(order: Order): number {
  return linesOf(order).reduce((sum, line) => sum + line.quantity, 0);
}

export const maxQuantity = 20;

export function withQuantity(order: Order, productId: string, quantity: number): Order {
  if (order.status !== "cart" || !findProduct(productId)) return order;
  const { [productId]: _, ...others } = order.lines;
  const newQuantity = Math.min(Math.max(0, Math.trunc(quantity) || 0), maxQuantity);
  return {
    ...order,
    lines: newQuantity === 0 ? others : { ...order.lines, [productId]: newQuantity },
  };
}

/** The order after an event, with a description of the effect for the list of webhooks. */
export type AppliedEvent = { order: Order; effect: string };

/**
 * Returns the order after a verified event. Events may arrive twice, late and in any sequence. The result is the same
 * in every case.
 */
export function applyEvent(order: Order, event: Event): AppliedEvent {
  const object = event.data.object as ShopCharge;
  const storedVersion = order.versions[object.id];
  // The version of an object only increases, so an event with a lower version is outdated.
  if (storedVersion !== undefined && object.version < storedVersion) {
    return { order, effect: "ignored: older than the stored version" };
  }
  const updated = { ...order, versions: { ...order.versions, [object.id]: object.version } };

  switch (event.type) {
    case "payment.succeeded":
      if (order.status === "paid")
        return { order: updated, effect: "ignored: the order is already paid" };
      // The paid amount must equal the order's total.
      if (object.amount !== totalOf(order)) {
        return { order: updated, effect: "amount mismatch: manual review needed" };
      }
      return {
        order: {
          ...updated,
          status: "paid",
          decline: null,
          payment: {
            chargeId: object.id,
            card: cardLabel(object),
            at: event.created,
            account: event.account,
          },
        },
        effect: "order marked paid",
      };
    case "payment_failed":
      // The decline of an earlier card may arrive after the success of a later one.
      if (order.status === "paid")
        return { order: updated, effect: "ignored: the order is already paid" };
      return {
        order: {
          ...updated,
          decline: {
            code: object.decline_code ?? object.failure_code ?? "card_declined",
            message: object.failure_message ?? "Your card was declined.",
          },
        },
        effect: "decline recorded, order still open",
      };
    default:
      return { order: updated, effect: "no action needed" };
  }
}

/**
 * The fields of a charge that the shop reads. `client_reference_id` is the order's ID, which Florin copies from the
 * session.
 */
type ShopCharge = {
  id: string;
  version: number;
  amount?: number;
  client_reference_id?: string | null;
  decline_code?: string | null;
  failure_code?: string | null;
  failure_message?: string | null;
  payment_method_details?: { card?: { brand: string; last4: string | null } };
};

export function orderIdOf(event: Event): string | null {
  return (event.data.object as ShopCharge).client_reference_id ?? null;
}

function cardLabel({ payment_method_details }: ShopCharge): string {
  const card = payment_method_details?.card;
  if (!card) return "card";
  // If only the acquirer can decrypt a wallet's token, the card has no digits until the acquirer has reported them.
  if (card.last4 === null) return "card";
  return `${card.brand.charAt(0).toUpperCase()}${card.brand.slice(1)} ending in ${card.last4}`;
}
