import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createCheckout } from "../checkout.ts";
import { createClient, type Reply } from "../client.ts";
import { startShop } from "../shop.ts";

const limit = 40;

// Each request goes to the next of three processes, so two consecutive requests of a customer never reach the same one.
const shop = await startShop({ workers: false, rateLimit: limit, processes: 3 });
after(() => shop.close());

/** Sends a request to one of the processes. */
async function getFrom(url: string, path: string, key: string): Promise<Reply> {
  const client = createClient(url);
  const headers = { authorization: `Bearer ${key}` };
  return client.send("GET", `/api/v1${path}`, { headers }).finally(() => client.close());
}

const countOf = (replies: readonly Reply[], wanted: number) =>
  replies.filter(({ status }) => status === wanted).length;

/** Returns the charge with which a session was paid. */
async function chargeOf(session: string, key: string) {
  const client = createClient(shop.url);
  const headers = { authorization: `Bearer ${key}` };
  const { body } = await client.send("GET", `/api/v1/checkout_sessions/${session}`, { headers });
  const charge = await client.send("GET", `/api/v1/charges/${body.charge_id}`, { headers });
  await client.close();
  return charge.body;
}

test("the security code that one process received is sent with the charge that another process creates", async () => {
  const { key } = await shop.createMerchant();
  const browser = await createCheckout(shop, {}, key);
  const stored = await browser.type("4242424242424242");
  assert.equal((await browser.confirm(stored.body.payment_method_id)).status, 200);
  const { card } = (await chargeOf(browser.session, key)).payment_method_details;
  assert.equal(card.checks.cvc_check, "pass");
});

test("after a declined charge, no process has its security code", async () => {
  const { key } = await shop.createMerchant();
  const browser = await createCheckout(shop, {}, key);
  const stored = await browser.type("4000000000000002");
  for (let times = 0; times < 3; times++) {
    assert.equal((await browser.confirm(stored.body.payment_method_id)).status, 200);
    const { body } = await shop.get("/charges?limit=1", { as: key });
    const { checks } = body.data[0].payment_method_details.card;
    assert.equal(checks.cvc_check, times === 0 ? "pass" : null, `charge ${times + 1}`);
  }
});

test("429: the requests of an account to all processes together are within one limit", async () => {
  const { key } = await shop.createMerchant();
  const started = performance.now();
  const replies = await Promise.all(
    Array.from({ length: 4 * limit }, () => shop.get("/balance", { as: key })),
  );
  const seconds = (performance.now() - started) / 1000;
  const accepted = countOf(replies, 200);
  assert.equal(accepted + countOf(replies, 429), replies.length);
  assert.ok(accepted >= limit, `${accepted} accepted`);
  assert.ok(accepted <= limit * (1 + seconds) + 1, `${accepted} accepted in ${seconds} s`);
});

test("an account whose requests all reach one process gets its whole limit there", async () => {
  const { key } = await shop.createMerchant();
  const [url] = shop.urls as [string];
  const replies = await Promise.all(
    Array.from({ length: limit }, () => getFrom(url, "/balance", key)),
  );
  assert.equal(countOf(replies, 200), limit);
});

test("tokens that an idle process leased are returned to the others", async () => {
  const { key } = await shop.createMerchant();
  const [first, second] = shop.urls as [string, string];
  await getFrom(first, "/balance", key);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const replies = await Promise.all(
    Array.from({ length: limit }, () => getFrom(second, "/balance", key)),
  );
  assert.equal(countOf(replies, 200), limit);
});

test("429: all processes together have at most 20 event streams of an account", async () => {
  const { key } = await shop.createMerchant();
  const headers = { authorization: `Bearer ${key}` };
  const open = shop.urls.map((url) => ({ url, stop: new AbortController() }));
  const openStream = ({ url, stop }: (typeof open)[number]) =>
    fetch(`${url}/api/v1/events/stream`, { headers, signal: stop.signal });
  // The test keeps the responses until its end. A response that is garbage-collected closes its stream.
  const responses: Response[] = [];
  for (let count = 0; count < 21; count++) {
    responses.push(await openStream(open[count % 3] as (typeof open)[number]));
  }
  assert.deepEqual(
    responses.map(({ status }) => status),
    [...Array(20).fill(200), 429],
  );
  // A stream of another process ends, and its slot is free again.
  open[0]?.stop.abort();
  open[0] = { url: shop.urls[0] as string, stop: new AbortController() };
  for (let tries = 0; ; tries++) {
    const { status } = await openStream(open[1] as (typeof open)[number]);
    if (status === 200) break;
    assert.ok(tries < 100, "the slot of an ended stream is not free");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  for (const { stop } of open) stop.abort();
  await Promise.allSettled(responses.map(({ body }) => body?.cancel()));
});
