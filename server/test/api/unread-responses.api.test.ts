import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { after, test } from "node:test";
import { copyCharge } from "../copy-charge.ts";
import { errorOf, startShop, until } from "../shop.ts";

const shop = await startShop({ workers: false, processes: 1 });
after(() => shop.close());

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
const { body: charge } = await shop.post("/charges", visa);
const metadata = Object.fromEntries(
  Array.from({ length: 50 }, (_, index) => [`key ${index}`, "é".repeat(500)]),
);
await copyCharge(shop.app.database, charge.id, 400, { metadata });

/** Sends the request `count` times, and reads none of the responses. */
async function sendUnread(path: string, count: number): Promise<Socket[]> {
  const { hostname, port } = new URL(shop.url);
  const head = `GET /api/v1${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${shop.merchant.key}\r\n\r\n`;
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(Number(port), hostname);
      await new Promise((sent) => socket.write(head, sent));
      return socket;
    }),
  );
}

for (const [what, path, count] of [
  ["lists", "/charges?limit=100", 30],
  ["downloads", "/charges.csv", 60],
] as const) {
  test(`429: a merchant whose clients do not read their ${what} is rejected until they close`, async (t) => {
    const before = process.memoryUsage.rss();
    const sockets = await sendUnread(path, count);
    const closeAll = () => {
      for (const socket of sockets) socket.destroy();
    };
    t.after(closeAll);
    const rejected = await until(
      () => shop.get(`/charges/${charge.id}`),
      ({ status }) => status === 429,
    );
    t.diagnostic(`${Math.round((process.memoryUsage.rss() - before) / 1024 / 1024)} MiB`);
    assert.deepEqual(errorOf(rejected), [429, "rate_limit_error", "concurrency_limit_exceeded"]);
    const other = await shop.get("/charges?limit=100", { as: shop.otherMerchant.key });
    assert.equal(other.status, 200);
    closeAll();
    await until(
      () => shop.get(`/charges/${charge.id}`),
      ({ status }) => status === 200,
    );
  });
}
