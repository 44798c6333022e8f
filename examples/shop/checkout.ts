import type { CheckoutSession } from "@florin/contract/checkout-session.ts";
import type { Florin } from "@florin/sdk";
import { currency } from "./catalogue.ts";
import { linesOf, type Order, orderNumber } from "./order.ts";
import type { OrderBook } from "./order-book.ts";

/**
 * The session in which this order can be paid now: the one it has, or a new one. Null when there is nothing left to pay.
 *
 * An order never has two sessions that could both be paid: the old one must be over before there is a new one.
 */
export async function sessionFor(
  order: Order,
  shop: { florin: Florin; orders: OrderBook; url: string },
): Promise<Order["session"]> {
  if (order.status === "paid") return null;
  let attempt = order.attempt;
  if (order.session) {
    const session = await shop.florin.checkoutSessions.retrieve(order.session.id);
    if (session.status === "complete") return null;
    // Open, or on its way: Florin's page shows the customer where it stands.
    if (!isOver(session.status)) return order.session;
    attempt += 1;
  }

  const orderUrl = `${shop.url}/orders/${order.id}`;
  const { session, embed_url } = await shop.florin.checkoutSessions.create(
    {
      // No amount: the lines make it, and the customer sees them on Florin's page.
      line_items: linesOf(order).map(({ name, amount, quantity }) => ({ name, amount, quantity })),
      currency,
      description: `Order ${orderNumber(order)}`,
      // Every webhook about this payment brings our order id back.
      client_reference_id: order.id,
      success_url: `${orderUrl}?from=success`,
      cancel_url: `${orderUrl}?from=cancel`,
      return_url: orderUrl,
      allowed_origins: [new URL(shop.url).origin],
    },
    // A double click, a retry, or a crash before the next line: the same key makes it the same session.
    { idempotencyKey: `${order.id}-${attempt}` },
  );

  // Florin was asked in between: go on from the order as it is now, not as it was.
  const current = shop.orders.find(order.id) ?? order;
  if (current.status === "paid") return null;
  const opened = { id: session.id, embedUrl: embed_url };
  shop.orders.save({
    ...current,
    status: "awaiting_payment",
    attempt,
    session: opened,
    decline: null,
  });
  return opened;
}

/** The order as a cart, once its session can no longer be paid; null when it is paid or a payment is under way. */
export async function reopenCart(
  order: Order,
  shop: { florin: Florin; orders: OrderBook },
): Promise<Order | null> {
  if (order.status === "cart") return order;
  if (order.status === "paid" || !order.session) return null;
  const { florin, orders } = shop;
  let session = await florin.checkoutSessions.retrieve(order.session.id);
  if (session.status === "open") session = await florin.checkoutSessions.expire(session.id);
  if (!isOver(session.status)) return null;

  const current = orders.find(order.id) ?? order;
  if (current.status === "paid") return null;
  const attempt = order.attempt + 1;
  const cart: Order = { ...current, status: "cart", session: null, attempt, decline: null };
  orders.save(cart);
  return cart;
}

/** Nothing can be paid in it any more, and nothing was. */
function isOver(status: CheckoutSession["status"]): boolean {
  return status === "expired" || status === "canceled" || status === "failed";
}
