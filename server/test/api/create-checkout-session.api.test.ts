import assert from "node:assert/strict";
import { after, test } from "node:test";
import { errorOf, startShop } from "../shop.ts";

const shop = await startShop();
after(() => shop.close());

const rejected = (code: string, param: string) => [400, "invalid_request_error", code, param];
const price = { amount: 700, currency: "eur" };
const create = (body: object) => shop.post("/checkout_sessions", body);

test("201: a session requires an amount and a currency, and the response contains its id and embed_url", async () => {
  const { status, body } = await create({ amount: 1999, currency: "usd" });
  assert.equal(status, 201);
  assert.deepEqual(Object.keys(body), ["session", "embed_url"]);
  const { session } = body;
  assert.match(session.id, /^cs_/);
  assert.equal(session.embed_url, body.embed_url);
  assert.deepEqual(
    [session.status, session.payment_status, session.attempts, session.max_attempts],
    ["open", "unpaid", 0, 5],
  );
  assert.equal(session.expires_at - session.created, 86_400);
});

test("201: embed_url is a hosted page with the client secret in the fragment, which browsers do not send", async () => {
  const { body } = await create({ amount: 1999, currency: "usd" });
  const url = new URL(body.embed_url);
  assert.equal(`${url.origin}${url.pathname}`, `${shop.url}/embed/${body.session.id}`);
  assert.match(url.hash, /^#secret_[A-Za-z0-9_-]{43}$/);
  const page = await shop.send("GET", url.pathname);
  assert.equal(page.status, 200);
  assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
});

test("201: two sessions have different client secrets", async () => {
  const hash = async () =>
    new URL((await create({ amount: 100, currency: "usd" })).body.embed_url).hash;
  assert.notEqual(await hash(), await hash());
});

test("201: every parameter that the merchant sends is stored and returned", async () => {
  const params = {
    amount: 2100,
    currency: "eur",
    capture_method: "manual",
    customer_email: "ada@example.com",
    client_reference_id: "order-7",
    description: "Zwölf Äpfel 🍏",
    line_items: [
      { name: "Apple", quantity: 12, amount: 150 },
      { name: "Bag", quantity: 1, amount: 300 },
    ],
    billing_details: { name: "Ada", address: { country: "DE", postal_code: "10115" } },
    shipping_details: { name: "Ada", carrier: "DHL", address: { city: "Berlin" } },
    success_url: "https://shop.example/thanks",
    cancel_url: "https://shop.example/cart",
    return_url: "https://shop.example/back",
    allowed_origins: ["https://shop.example", "http://localhost:*"],
    save_payment_method: true,
    three_d_secure: "always",
    locale: "de-AT",
    max_attempts: 3,
    metadata: { order: "7" },
  };
  const { body } = await create({ ...params, expires_in: 1800 });
  const read = (await shop.get(`/checkout_sessions/${body.session.id}`)).body;
  assert.deepEqual(read, body.session);
  for (const [name, value] of Object.entries(params)) assert.deepEqual(read[name], value, name);
  assert.equal(read.expires_at - read.created, 1800);
});

test("201: without an amount the line items determine it", async () => {
  const line_items = [
    { name: "Apple", quantity: 3, amount: 100 },
    { name: "Free bag", quantity: 1, amount: 0 },
  ];
  const { status, body } = await create({ currency: "usd", line_items });
  assert.deepEqual([status, body.session.amount], [201, 300]);
});

test("201: one line item can cost the maximum amount of a charge in any currency", async () => {
  for (const [currency, amount] of [
    ["idr", 999_999_999_999],
    ["vnd", 49_999_999_999],
  ] as const) {
    const line_items = [{ name: "Car", quantity: 1, amount }];
    const { status, text, body } = await create({ currency, line_items });
    assert.equal(status, 201, text);
    assert.equal(body.session.amount, amount);
  }
});

for (const [what, body, code, param] of [
  ["an empty body", {}, "parameter_missing", "currency"],
  ["a body without amount and line items", { currency: "usd" }, "parameter_missing", "amount"],
  [
    "line items that do not add up to the amount",
    { amount: 100, currency: "usd", line_items: [{ name: "a", quantity: 2, amount: 49 }] },
    "parameter_invalid",
    "line_items",
  ],
  [
    "line items below the minimum amount",
    { currency: "usd", line_items: [{ name: "a", quantity: 1, amount: 49 }] },
    "amount_too_small",
    "line_items",
  ],
  [
    "line items above the maximum amount",
    { currency: "usd", line_items: [{ name: "a", quantity: 1_000_000, amount: 99_999_999 }] },
    "amount_too_large",
    "line_items",
  ],
  [
    "an empty list of line items",
    { currency: "usd", line_items: [] },
    "parameter_invalid_empty",
    "line_items",
  ],
  [
    "a line item with quantity zero",
    { currency: "usd", line_items: [{ name: "a", quantity: 0, amount: 100 }] },
    "parameter_invalid",
    "line_items[0].quantity",
  ],
  [
    "a line item without a name",
    { currency: "usd", line_items: [{ quantity: 1, amount: 100 }] },
    "parameter_missing",
    "line_items[0].name",
  ],
  [
    "an unknown field in a line item",
    { currency: "usd", line_items: [{ name: "a", quantity: 1, amount: 100, price: 1 }] },
    "parameter_unknown",
    "line_items[0].price",
  ],
  [
    "a lifetime that is too short",
    { amount: 100, currency: "usd", expires_in: 1799 },
    "parameter_invalid",
    "expires_in",
  ],
  [
    "a lifetime that is too long",
    { amount: 100, currency: "usd", expires_in: 86_401 },
    "parameter_invalid",
    "expires_in",
  ],
  [
    "zero attempts",
    { amount: 100, currency: "usd", max_attempts: 0 },
    "parameter_invalid",
    "max_attempts",
  ],
  [
    "an invalid email",
    { amount: 100, currency: "usd", customer_email: "ada" },
    "email_invalid",
    "customer_email",
  ],
  [
    "a script URL",
    { amount: 100, currency: "usd", success_url: "javascript:alert(1)" },
    "url_invalid",
    "success_url",
  ],
  [
    "an origin with a path",
    { amount: 100, currency: "usd", allowed_origins: ["https://shop.example/a"] },
    "url_invalid",
    "allowed_origins[0]",
  ],
  [
    "the origin *",
    { amount: 100, currency: "usd", allowed_origins: ["*"] },
    "url_invalid",
    "allowed_origins[0]",
  ],
  [
    "an origin that would inject into a header",
    { amount: 100, currency: "usd", allowed_origins: ["https://a; script-src *"] },
    "url_invalid",
    "allowed_origins[0]",
  ],
  [
    "a lower-case country",
    { amount: 100, currency: "usd", billing_details: { address: { country: "de" } } },
    "country_code_invalid",
    "billing_details.address.country",
  ],
  [
    "an unknown three_d_secure value",
    { amount: 100, currency: "usd", three_d_secure: "never" },
    "parameter_invalid",
    "three_d_secure",
  ],
  [
    "an unknown locale",
    { amount: 100, currency: "usd", locale: "german!" },
    "parameter_invalid",
    "locale",
  ],
  [
    "an unknown customer",
    { amount: 100, currency: "usd", customer_id: "cus_1" },
    "resource_missing",
    "customer_id",
  ],
  [
    "a misspelled field",
    { amount: 100, currency: "usd", sucess_url: "https://a" },
    "parameter_unknown",
    "sucess_url",
  ],
] as const) {
  test(`400: rejects ${what} with ${code}`, async () => {
    assert.deepEqual(errorOf(await create(body)), rejected(code, param));
  });
}

test("201: 64 requests with one key create one session and get identical responses", async () => {
  const body = { amount: 700, currency: "eur", client_reference_id: "one key" };
  const replies = await Promise.all(
    Array.from({ length: 64 }, () => shop.post("/checkout_sessions", body, { key: "one session" })),
  );
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201]));
  assert.equal(new Set(replies.map(({ text }) => text)).size, 1);
  const { data } = (await shop.get("/checkout_sessions?client_reference_id=one%20key")).body;
  assert.deepEqual(
    data.map(({ id }: { id: string }) => id),
    [replies[0]?.body.session.id],
  );
});

test("201: an expired idempotency key creates another session", async () => {
  const first = await shop.post("/checkout_sessions", price, { key: "a day" });
  await shop.app.database.transaction(
    (tx) =>
      tx`update idempotency_keys set created_at = created_at - interval '25 hours' where key = 'a day'`,
  );
  const second = await shop.post("/checkout_sessions", price, { key: "a day" });
  assert.equal(second.headers.get("idempotent-replayed"), null);
  assert.notEqual(second.body.session.id, first.body.session.id);
});

test("422: rejects a key that created a different session", async () => {
  await shop.post("/checkout_sessions", price, { key: "another" });
  const reply = await shop.post(
    "/checkout_sessions",
    { ...price, amount: 701 },
    { key: "another" },
  );
  assert.equal(reply.status, 422);
});

test("400: rejects a session for a closed account", async () => {
  const { key } = await shop.createMerchant({ status: "closed" });
  const reply = await shop.post(
    "/checkout_sessions",
    { amount: 100, currency: "usd" },
    { as: key },
  );
  assert.deepEqual(errorOf(reply), [400, "invalid_request_error", "account_closed"]);
});

test("201: accepts a locale in any region of a language that the card form supports", async () => {
  for (const locale of ["de", "de-AT", "PT-br", "zh-Hant-TW", "en"]) {
    const { status, body } = await shop.post("/checkout_sessions", { ...plain, locale });
    assert.deepEqual([status, body.session?.locale], [201, locale]);
  }
});

test("400: rejects a locale in a language that the card form does not support", async () => {
  for (const locale of ["sv", "fil", "da-DK", "xx", "e", "de_DE"]) {
    const reply = await shop.post("/checkout_sessions", { ...plain, locale });
    assert.deepEqual(errorOf(reply), [400, "invalid_request_error", "parameter_invalid", "locale"]);
  }
});

const plain = { amount: 1999, currency: "usd" };
