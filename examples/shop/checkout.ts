import type { CheckoutSession } from "@florin/contract/checkout-session.ts";
import type { Florin } from "@florin/sdk";
import { currency } from "./catalog.ts";
import { linesOf, type Order, orderNumber } from "./order.ts";
import type { OrderStore } from "./order-store.ts";

/**
 * Returns the session in which this order can be paid now: the existing one, or a new one. Returns null if nothing is
 * left to pay.
 *
 * An order never has two payable sessions. A new session is created only after the old one has ended without a payment.
 */
export async function sessionFor(
  order: Order,
  shop: { florin: Florin; orders: OrderStore; url: string },
): Promise<Order["session"]> {
  if (order.status === "paid") return null;
  let attempt = order.attempt;
  if (order.session) {
    const session = await shop.florin.checkoutSessions.retrieve(order.session.id);
    if (session.status === "complete") return null;
    // The session is open or processing, so the customer continues on its page.
    if (!endedUnpaid(session.status)) return order.session;
    attempt += 1;
  }

  const orderUrl = `${shop.url}/orders/${order.id}`;
  const { session, embed_url } = await shop.florin.checkoutSessions.create(
    {
      // The line items determine the amount, and Florin's page shows them to the customer.
      line_items: linesOf(order).map(({ name, amount, quantity }) => ({ name, amount, quantity })),
      currency,
      description: `Order ${orderNumber(order)}`,
      // Every webhook about this payment contains our order id.
      client_reference_id: order.id,
      success_url: `${orderUrl}?from=success`,
      cancel_url: `${orderUrl}?from=cancel`,
      return_url: orderUrl,
      allowed_origins: [new URL(shop.url).origin],
    },
    // After a double click, a retry, or a crash before the next statement, the same key is sent again and Florin
    // returns the same session.
    { idempotencyKey: `${order.id}-${attempt}` },
  );

  // Reads the order again, because it may have changed during the request to Florin.
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

/**
 * Ends the order's session and makes the order a cart again. Returns null if the order is paid or a payment is in
 * progress.
 */
export async function reopenCart(
  order: Order,
  shop: { florin: Florin; orders: OrderStore },
): Promise<Order | null> {
  if (order.status === "cart") return order;
  if (order.status === "paid" || !order.session) return null;
  const { florin, orders } = shop;
  let session = await florin.checkoutSessions.retrieve(order.session.id);
  if (session.status === "open") session = await florin.checkoutSessions.expire(session.id);
  if (!endedUnpaid(session.status)) return null;

  const current = orders.find(order.id) ?? order;
  if (current.status === "paid") return null;
  const attempt = order.attempt + 1;
  const cart: Order = { ...current, status: "cart", session: null, attempt, decline: null };
  orders.save(cart);
  return cart;
}

/** Returns whether the session ended without a payment. */
function endedUnpaid(status: CheckoutSession["status"]): boolean {
  return status === "expired" || status === "canceled" || status === "failed";
}
