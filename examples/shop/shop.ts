/**
 * A small shop that takes card payments with Florin. Read these files in this order: `checkout.ts` creates the session,
 * `receive-webhook.ts` verifies a webhook, and `order.ts` changes the order.
 */
import { startShop } from "./start-shop.ts";

const shop = await startShop({
  host: process.env.SHOP_HOST,
  port: Number(process.env.SHOP_PORT ?? 4243),
  florinUrl: required("FLORIN_URL"),
  secretKey: required("FLORIN_SECRET_KEY"),
  webhookSecret: required("FLORIN_WEBHOOK_SECRET"),
  shopUrl: process.env.SHOP_URL,
  dataDirectory: process.env.SHOP_DATA,
}).catch((error: NodeJS.ErrnoException) => {
  if (error.code !== "EADDRINUSE") throw error;
  return exitWith(`${error.message}. Set SHOP_PORT to another port, or to 0 for any free port.`);
});
console.log(`Shop: ${shop.url}`);

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => shop.close());
// Stops the shop when its parent process exits, if that process has opened an IPC channel.
process.once("disconnect", () => shop.close());
process.channel?.unref();

function required(name: string): string {
  const value = process.env[name];
  return value || exitWith(`The shop needs ${name}. See docs/guides/accept-a-payment.md.`);
}

function exitWith(message: string): never {
  console.error(message);
  process.exit(1);
}
