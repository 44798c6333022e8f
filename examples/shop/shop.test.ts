import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import Stripe from "stripe";
import { startShop } from "./start-shop.ts";

const webhookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** Starts a stub of Florin's endpoints for checkout sessions. The journeys use the real service. */
async function startFlorin(t: TestContext) {
  const requests: {
    path: string;
    key: string;
    body: { line_items: { amount: number }[]; client_reference_id: string };
  }[] = [];
  const sessions = new Map<string, { id: string; status: string }>();
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const path = (request.url ?? "").replace("/api/v1/checkout_sessions", "");
    const [, id = "", action] = path.split("/");
    let reply: object | undefined = sessions.get(id);
    if (path === "") {
      const key = String(request.headers["idempotency-key"]);
      requests.push({ path, key, body: JSON.parse(text) });
      const session = sessions.get(`cs_${key}`) ?? { id: `cs_${key}`, status: "open" };
      sessions.set(session.id, session);
      reply = { session, embed_url: `${url}/pay#${session.id}` };
    }
    if (action === "expire") Object.assign(reply ?? {}, { status: "expired" });
    response.writeHead(reply ? 200 : 404, { "content-type": "application/json" });
    response.end(
      JSON.stringify(
        reply ?? {
          error: { type: "invalid_request_error", code: "resource_missing", message: "" },
        },
      ),
    );
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  t.after(close);
  return { url, requests, sessions, close };
}

async function startTestShop(t: TestContext, dataDirectory?: string, secretKey = "sk_test_shop") {
  const florin = await startFlorin(t);
  const shop = await startShop({
    port: 0,
    florinUrl: florin.url,
    secretKey,
    webhookSecret,
    dataDirectory,
  });
  t.after(() => shop.close());
  t.mock.method(console, "error", () => {});
  return { florin, shop, ...customerOf(shop.url) };
}

/** Returns functions that send requests as one customer, with the cookie of the last response. */
function customerOf(shopUrl: string) {
  let cookie = "";
  async function go(method: string, path: string, form?: Record<string, string>, headers = {}) {
    const body = form ? new URLSearchParams(form) : null;
    const response = await fetch(shopUrl + path, {
      method,
      body,
      redirect: "manual",
      headers: { cookie, ...headers },
    });
    cookie = response.headers.get("set-cookie")?.split(";")[0] ?? cookie;
    return {
      status: response.status,
      location: response.headers.get("location") ?? "",
      text: await response.text(),
      headers: response.headers,
    };
  }
  const get = (path: string) => go("GET", path);
  const post = (path: string, form: Record<string, string> = {}, headers = {}) =>
    go("POST", path, form, headers);
  return {
    get,
    post,
    /** Puts a cup (28.00) and a bowl (34.00) into the cart and starts the checkout. Returns the order's id. */
    async placeOrder(way = "here") {
      await post("/cart/add", { product: "cup" });
      await post("/cart/add", { product: "bowl" });
      const [, id = ""] = /\/orders\/(order_\w+)\/checkout/.exec((await get("/cart")).text) ?? [];
      const { location } = await post(`/orders/${id}/checkout`, { way });
      return { id, location, path: `/orders/${id}` };
    },
  };
}

function eventFor(
  orderId: string | null,
  type = "payment.succeeded",
  charge: object = {},
  id = `evt_${randomUUID()}`,
) {
  const object = {
    id: "ch_1",
    object: "charge",
    version: 2,
    amount: 6200,
    client_reference_id: orderId,
    payment_method_details: { card: { brand: "visa", last4: "4242" } },
    ...charge,
  };
  const account = "acct_1";
  return { id, object: "event", type, account, created: 1_760_000_000, data: { object } };
}

/**
 * Delivers an event that the official `stripe` library signed, so that the test does not rely on the code under test.
 */
async function deliver(shopUrl: string, event: object, { secret = webhookSecret, age = 0 } = {}) {
  const payload = JSON.stringify(event);
  const timestamp = Math.floor(Date.now() / 1000) - age;
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
  const headers = { "content-type": "application/json", "service-signature": signature };
  return (await fetch(`${shopUrl}/webhooks`, { method: "POST", body: payload, headers })).status;
}

/** Returns the status section of the page. The list of webhooks below that section contains the same text. */
function statusIn(page: string): string {
  return /id="status"[\s\S]*?<\/section>/.exec(page)?.[0] ?? assert.fail("no status on the page");
}

const declined = {
  decline_code: "insufficient_funds",
  failure_message: "The card has insufficient funds.",
};

test("the session has the catalog's prices and returns the customer to the order", async (t) => {
  const { florin, shop, placeOrder } = await startTestShop(t);
  const { id, location } = await placeOrder("page");
  assert.equal(location, `${florin.url}/pay#cs_${id}-1`);
  assert.deepEqual(florin.requests[0]?.body, {
    line_items: [
      { name: "Morning cup", amount: 2800, quantity: 1 },
      { name: "Breakfast bowl", amount: 3400, quantity: 1 },
    ],
    currency: "usd",
    description: `Order ${id.slice(-6).toUpperCase()}`,
    client_reference_id: id,
    success_url: `${shop.url}/orders/${id}?from=success`,
    cancel_url: `${shop.url}/orders/${id}?from=cancel`,
    return_url: `${shop.url}/orders/${id}`,
    allowed_origins: [shop.url],
  });
});

test("two clicks and both ways to pay use one session", async (t) => {
  const { florin, post, placeOrder } = await startTestShop(t);
  const { path, id } = await placeOrder("here");
  await Promise.all([
    post(`${path}/checkout`, { way: "here" }),
    post(`${path}/checkout`, { way: "page" }),
  ]);
  assert.deepEqual(new Set(florin.requests.map(({ key }) => key)), new Set([`${id}-1`]));
});

test("the pay page mounts Florin's frame under a CSP that allows only Florin", async (t) => {
  const { florin, get, placeOrder } = await startTestShop(t);
  const { id, location } = await placeOrder("here");
  const { text, headers } = await get(location);
  assert.match(text, new RegExp(`<script src="${florin.url}/embed.js" defer>`));
  assert.match(text, new RegExp(`data-embed-url="${florin.url}/pay#cs_${id}-1"`));
  const policy = headers.get("content-security-policy") ?? "";
  assert.match(policy, new RegExp(`script-src 'self' ${florin.url};`));
  assert.match(policy, new RegExp(`frame-src ${florin.url};`));
  assert.doesNotMatch(
    text,
    /<script>|<script (?!src)| on\w+="| style="/,
    "no inline script or style",
  );
});

test("the success page does not mark the order paid before the webhook arrives", async (t) => {
  const { shop, get, placeOrder } = await startTestShop(t);
  const { id, path } = await placeOrder();
  assert.match((await get(`${path}?from=success`)).text, /Waiting for payment/);

  assert.equal(await deliver(shop.url, eventFor(id)), 200);

  const { text } = await get(path);
  assert.match(text, /Thank you/);
  assert.match(text, /Visa ending in 4242/);
});

for (const [mode, isLinked] of [
  ["test", true],
  ["live", false],
] as const) {
  test(`in ${mode} mode, a paid order ${isLinked ? "links" : "does not link"} to the payment in the dashboard`, async (t) => {
    const { florin, shop, get, placeOrder } = await startTestShop(t, undefined, `sk_${mode}_shop`);
    const { id, path } = await placeOrder();
    assert.equal(await deliver(shop.url, eventFor(id)), 200);
    const link = `href="${florin.url}/dashboard/acct_1/test/payments/ch_1"`;
    assert.equal(statusIn((await get(path)).text).includes(link), isLinked);
  });
}

test("an open order page shows the payment without a reload", async (t) => {
  const { shop, placeOrder } = await startTestShop(t);
  const { id, path } = await placeOrder();
  const stop = new AbortController();
  t.after(() => stop.abort());
  const { body } = await fetch(`${shop.url}${path}/updates`, { signal: stop.signal });
  const seen: string[] = [];
  const decoder = new TextDecoder();
  for await (const chunk of body ?? []) {
    seen.push(decoder.decode(chunk));
    if (seen.length === 1) await deliver(shop.url, eventFor(id));
    if (seen.join("").includes("Thank you")) break;
  }
  assert.match(seen[0] ?? "", /Waiting for payment/);
});

test("forged, late and unsigned webhooks are rejected with 400 and do not mark the order paid", async (t) => {
  const { shop, get, placeOrder } = await startTestShop(t);
  const { id, path } = await placeOrder();
  assert.equal(await deliver(shop.url, eventFor(id), { secret: "whsec_forged" }), 400);
  assert.equal(await deliver(shop.url, eventFor(id), { age: 400 }), 400);
  const body = JSON.stringify(eventFor(id));
  assert.equal((await fetch(`${shop.url}/webhooks`, { method: "POST", body })).status, 400);
  assert.match((await get(path)).text, /Waiting for payment/);
  const panel = (await get("/webhooks")).text;
  assert.match(panel, /rejected: No signature matches/);
  assert.match(panel, /rejected: The signature is 40\d s old/);
  assert.match(panel, /rejected: The Service-Signature header is missing/);
});

test("a duplicate event has no effect", async (t) => {
  const { shop, get, placeOrder } = await startTestShop(t);
  const { id, path } = await placeOrder();
  const event = eventFor(id);
  assert.equal(await deliver(shop.url, event), 200);
  assert.equal(await deliver(shop.url, event), 200);
  const { text } = await get(path);
  assert.equal(text.match(/order marked paid/g)?.length, 1);
  assert.match(text, /duplicate event: no action needed/);
});

test("an event for an unknown order or without an order is accepted without effect", async (t) => {
  const { shop, get } = await startTestShop(t);
  assert.equal(await deliver(shop.url, eventFor("order_of_another_shop")), 200);
  assert.equal(await deliver(shop.url, eventFor(null, "ping")), 200);
  assert.match((await get("/webhooks")).text, /unknown order/);
});

test("a decline is shown with its reason until a later payment succeeds", async (t) => {
  const { shop, get, placeOrder } = await startTestShop(t);
  const { id, path } = await placeOrder();
  await deliver(shop.url, eventFor(id, "payment_failed", { id: "ch_0", ...declined }));
  const open = (await get(path)).text;
  assert.match(statusIn(open), /The card has insufficient funds/);
  assert.doesNotMatch(
    statusIn(open),
    /insufficient_funds/,
    "the decline code is not shown to the customer",
  );
  assert.match(statusIn(open), /order stays open/);
  assert.match(open, /Pay here/);
  await deliver(shop.url, eventFor(id));
  assert.match((await get(path)).text, /Thank you/);
});

test("a decline that arrives after the success is ignored", async (t) => {
  const { shop, get, placeOrder } = await startTestShop(t);
  const { id, path } = await placeOrder();
  await deliver(shop.url, eventFor(id));
  await deliver(shop.url, eventFor(id, "payment_failed", { id: "ch_0", ...declined }));
  assert.match((await get(path)).text, /Thank you/);
});

test("an event with an older object version is ignored", async (t) => {
  const { shop, get, placeOrder } = await startTestShop(t);
  const { id, path } = await placeOrder();
  await deliver(shop.url, eventFor(id, "payment.requires_action", { version: 5 }));
  await deliver(shop.url, eventFor(id, "payment_failed", { version: 4, ...declined }));
  const { text } = await get(path);
  assert.match(text, /ignored: older than the stored version/);
  assert.doesNotMatch(statusIn(text), /insufficient funds/);
});

test("a payment of a different amount does not mark the order paid", async (t) => {
  const { shop, get, placeOrder } = await startTestShop(t);
  const { id, path } = await placeOrder();
  await deliver(shop.url, eventFor(id, "payment.succeeded", { amount: 1 }));
  const { text } = await get(path);
  assert.match(text, /manual review needed/);
  assert.match(text, /Waiting for payment/);
});

test("editing the bag expires the old session before a new one is created", async (t) => {
  const { florin, post, placeOrder } = await startTestShop(t);
  const { id, path } = await placeOrder();
  assert.equal((await post(`${path}/reopen`)).location, "/cart");
  assert.equal(florin.sessions.get(`cs_${id}-1`)?.status, "expired");
  await post("/cart/change", { product: "bowl", quantity: "0" });
  await post(`${path}/checkout`, { way: "here" });
  assert.equal(florin.requests.at(-1)?.key, `${id}-2`);
  assert.deepEqual(
    florin.requests.at(-1)?.body.line_items.map(({ amount }) => amount),
    [2800],
  );
});

test("an order with a payment in progress cannot be edited", async (t) => {
  const { florin, post, placeOrder } = await startTestShop(t);
  const { id, path } = await placeOrder();
  Object.assign(florin.sessions.get(`cs_${id}-1`) ?? {}, { status: "processing" });
  assert.equal((await post(`${path}/reopen`)).location, path);
});

test("an expired session is replaced by a new one with a new idempotency key", async (t) => {
  const { florin, post, placeOrder } = await startTestShop(t);
  const { id, path } = await placeOrder();
  Object.assign(florin.sessions.get(`cs_${id}-1`) ?? {}, { status: "expired" });
  assert.equal(
    (await post(`${path}/checkout`, { way: "page" })).location,
    `${florin.url}/pay#cs_${id}-2`,
  );
});

test("orders and received events survive a restart, even if the last line is incomplete", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "shop-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const { shop, florin, placeOrder } = await startTestShop(t, directory);
  const { id, path } = await placeOrder();
  const event = eventFor(id);
  await deliver(shop.url, event);
  appendFileSync(join(directory, "orders.jsonl"), '{"order":{"id":"ord');

  for (let restart = 0; restart < 2; restart++) {
    const options = { port: 0, florinUrl: florin.url, secretKey: "sk_test_shop", webhookSecret };
    const again = await startShop({ ...options, dataDirectory: directory });
    const { get } = customerOf(again.url);
    await deliver(again.url, event);
    const { text } = await get(path);
    await again.close();
    assert.match(text, /Thank you/);
    assert.match(text, /duplicate event: no action needed/);
  }
});

test("when Florin is unreachable the customer sees an error and keeps the bag", async (t) => {
  const { florin, get, post, placeOrder } = await startTestShop(t);
  const { path } = await placeOrder();
  await post(`${path}/reopen`);
  await florin.close();
  const { status, text } = await post(`${path}/checkout`, { way: "page" });
  assert.equal(status, 503);
  assert.match(text, /cannot be reached right now. You were not charged/);
  assert.match((await get("/cart")).text, /Morning cup/);
});

test("adding a product before payment keeps the bag and expires the old session", async (t) => {
  const { florin, get, post, placeOrder } = await startTestShop(t);
  const { id, path } = await placeOrder("page");
  assert.equal((await get("/cart")).location, path);
  await post("/cart/add", { product: "vase" });
  assert.match((await get("/cart")).text, /\$158\.00/);
  assert.equal(florin.sessions.get(`cs_${id}-1`)?.status, "expired");
});

test("adding a product after a paid order starts a new bag", async (t) => {
  const { shop, get, post, placeOrder } = await startTestShop(t);
  const { id, path } = await placeOrder();
  await deliver(shop.url, eventFor(id));
  await post("/cart/add", { product: "vase" });
  assert.match((await get("/cart")).text, /\$96\.00/);
  assert.match((await get(path)).text, /Thank you/);
});

test("a form submitted from another site is rejected, and an unknown order or page returns 404", async (t) => {
  const { get, post } = await startTestShop(t);
  assert.equal(
    (await post("/cart/add", { product: "cup" }, { "sec-fetch-site": "cross-site" })).status,
    403,
  );
  assert.equal((await get("/orders/order_0")).status, 404);
  assert.equal((await get("/pages.ts")).status, 404);
  assert.equal((await get("/constructor")).status, 404);
});

test("text from events is escaped", async (t) => {
  const { shop, get, placeOrder } = await startTestShop(t);
  const { id, path } = await placeOrder();
  await deliver(
    shop.url,
    eventFor(id, "payment_failed", { ...declined, failure_message: "<img src=x>" }),
  );
  const { text } = await get(path);
  assert.doesNotMatch(text, /<img/);
  assert.match(statusIn(text), /&#60;img src=x&#62;/);
});

test("the shop listens on loopback by default", async (t) => {
  const { shop } = await startTestShop(t);
  assert.equal(shop.address, "127.0.0.1");
});

test("the program prints its URL, or the name of a missing setting", async (t) => {
  const program = new URL("shop.ts", import.meta.url).pathname;
  const run = (env: Record<string, string>) =>
    spawn(process.execPath, [program], { env, stdio: ["ignore", "pipe", "pipe"] });
  const florin = { FLORIN_URL: "http://127.0.0.1:1", FLORIN_SECRET_KEY: "sk_test_shop" };

  const incomplete = run(florin);
  const [message] = await once(incomplete.stderr, "data");
  assert.match(String(message), /needs FLORIN_WEBHOOK_SECRET/);
  assert.deepEqual(await once(incomplete, "exit"), [1, null]);

  const shop = run({ ...florin, FLORIN_WEBHOOK_SECRET: webhookSecret, SHOP_PORT: "0" });
  t.after(() => shop.kill("SIGKILL"));
  const [line] = await once(shop.stdout, "data");
  const [, url = ""] = /^Shop: (http:\S+)\n$/.exec(String(line)) ?? [];
  assert.equal((await fetch(url)).status, 200);
  shop.kill("SIGTERM");
  assert.deepEqual(await once(shop, "exit"), [0, null]);
});
