import type { IncomingMessage } from "node:http";
import { verify, WebhookError } from "@florin/sdk/webhooks";
import type { OrderBook } from "./order-book.ts";

/**
 * The shop ships on this, and on nothing else: a customer's browser can come back to the success page without having
 * paid, or pay and never come back. Returns the HTTP status to answer with.
 */
export async function receiveWebhook(
  request: IncomingMessage,
  shop: { orders: OrderBook; webhookSecret: string },
): Promise<number> {
  let event: Awaited<ReturnType<typeof verify>>;
  try {
    // Before anything else, and over the raw bytes: until the signature holds, this is a stranger talking.
    event = await verify(request, shop.webhookSecret);
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    shop.orders.refuse(error.message);
    return 400;
  }
  // Write down and answer; what takes long (mail, labels) belongs into a queue, after the 2xx.
  shop.orders.receive(event);
  return 200;
}
