/**
 * A small shop that takes card payments with Florin. Read on in this order: `checkout.ts` (ask for a payment),
 * `receive-webhook.ts` (believe that it was made), `order.ts` (what both do to an order).
 */
import { openShop } from "./open-shop.ts";

const shop = await openShop({
  host: process.env.SHOP_HOST,
  port: Number(process.env.SHOP_PORT ?? 4243),
  florinUrl: required("FLORIN_URL"),
  secretKey: required("FLORIN_SECRET_KEY"),
  webhookSecret: required("FLORIN_WEBHOOK_SECRET"),
  shopUrl: process.env.SHOP_URL,
  dataDirectory: process.env.SHOP_DATA,
}).catch((error: NodeJS.ErrnoException) => {
  if (error.code !== "EADDRINUSE") throw error;
  return end(`${error.message}. Set SHOP_PORT to another port; 0 takes any that is free.`);
});
console.log(`Shop: ${shop.url}`);

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => shop.close());
// The program that started the shop over a channel, if there was one, is gone: the shop goes too.
process.once("disconnect", () => shop.close());
process.channel?.unref();

function required(name: string): string {
  const value = process.env[name];
  return value || end(`The shop needs ${name}. See docs/guides/accept-a-payment.md.`);
}

function end(words: string): never {
  console.error(words);
  process.exit(1);
}
