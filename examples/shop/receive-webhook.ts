import type { IncomingMessage } from "node:http";
import { verify, WebhookError } from "@florin/sdk/webhooks";
import type { OrderStore } from "./order-store.ts";

/**
 * Verifies a webhook and applies it to its order. Returns the HTTP status of the response. Only a webhook confirms a
 * payment. A browser can open the success page without a payment, or fail to open the success page after a payment.
 */
export async function receiveWebhook(
  request: IncomingMessage,
  shop: { orders: OrderStore; webhookSecret: string },
): Promise<number> {
  let event: Awaited<ReturnType<typeof verify>>;
  try {
    // Verify first, over the raw bytes. Until the signature is valid, the sender is unknown.
    event = await verify(request, shop.webhookSecret);
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    shop.orders.reject(error.message);
    return 400;
  }
  // Only the event is stored before the response. Slow work (email, shipping labels) belongs in a queue, after the 2xx.
  shop.orders.receive(event);
  return 200;
}
