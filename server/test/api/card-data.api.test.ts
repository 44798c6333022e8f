import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { JsonSchema } from "@florin/contract/openapi.ts";
import fc from "fast-check";
import { findCardData, findStoredCardData } from "../../src/core/card-data.ts";
import { cardNumberPrefilter, findCardNumber } from "../../src/core/card-number-in-text.ts";
import { newId } from "../../src/core/ids.ts";
import { findCardsOutsideTheVault } from "../../src/insights/verify/cards.sql.ts";
import { exampleBody, exampleOf } from "../../src/platform/http/reference-example.ts";
import { createCheckout, typed } from "../checkout.ts";
import type { Reply } from "../client.ts";
import { createPerson } from "../person.ts";
import { startShop } from "../shop.ts";
import { dose } from "../test-size.ts";

/*
 * Card data belongs in the card form and nowhere else. A request with card data in any other field is
 * rejected. The data does not appear in a table, an error message or the log.
 */
const shop = await startShop();
after(() => shop.close());

const number = "4242424242424242";
const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
const session = { amount: 1999, currency: "usd" };

function rejected(reply: Reply) {
  return [reply.status, reply.body.error?.code, reply.body.error?.param];
}

async function assertNotStored(text: string): Promise<void> {
  assert.doesNotMatch(text, /4242 ?4242/);
  const { sentences } = await findCardsOutsideTheVault(shop.app.database.read);
  assert.deepEqual(sentences, []);
  assert.doesNotMatch(JSON.stringify(shop.log), /4242 ?4242/);
}

test("400: rejects a card number in a text, name, address or metadata, names the field, and stores nothing", async () => {
  const places: [path: string, body: object, param: string][] = [
    ["/charges", { ...visa, description: `card ${number}` }, "description"],
    ["/charges", { ...visa, metadata: { note: "4242 4242 4242 4242" } }, "metadata.note"],
    ["/charges", { ...visa, metadata: { [number]: "paid" } }, "metadata.••••"],
    ["/charges", { ...visa, metadata: { n: "4242\u00a04242\u200b4242‐4242" } }, "metadata.n"],
    ["/charges", { ...visa, metadata: { n: "４２４２４２４２４２４２４２４２" } }, "metadata.n"],
    ["/charges", { ...visa, metadata: { cvc: "123" } }, "metadata.cvc"],
    ["/customers", { name: number }, "name"],
    ["/customers", { email: `${number}@example.com` }, "email"],
    [
      "/checkout_sessions",
      { currency: "usd", line_items: [{ name: number, quantity: 1, amount: 500 }] },
      "line_items[0].name",
    ],
    [
      "/checkout_sessions",
      { ...session, success_url: `https://shop.example/thanks?card=4242%204242%204242%204242` },
      "success_url",
    ],
    ["/checkout_sessions", { ...session, client_reference_id: number }, "client_reference_id"],
    ["/webhook_endpoints", { url: `http://127.0.0.1:9/${number}` }, "url"],
    ["/refunds", { charge_id: number }, "charge_id"],
  ];
  for (const [path, body, param] of places) {
    const reply = await shop.post(path, body, { key: newId("req", shop.clock.now()) });
    assert.deepEqual(rejected(reply), [400, "card_data_not_allowed", param], path);
    await assertNotStored(reply.text);
  }
});

test("400: a card number in the Idempotency-Key, query or path is neither stored nor logged", async () => {
  const inKey = await shop.post("/charges", visa, { key: "4242-4242-4242-4242" });
  assert.deepEqual(rejected(inKey), [400, "card_data_not_allowed", "Idempotency-Key"]);
  const inQuery = await shop.get(`/checkout_sessions?client_reference_id=${number}`);
  assert.deepEqual(rejected(inQuery), [400, "card_data_not_allowed", "client_reference_id"]);
  const inPath = await shop.get(`/charges/${number}`);
  assert.equal(inPath.status, 404);
  const inHeader = await shop.send("GET", "/api/v1/charges", {
    headers: { authorization: `Bearer ${shop.merchant.key}`, "user-agent": `pos ${number}` },
  });
  assert.equal(inHeader.status, 200);
  for (const reply of [inKey, inQuery, inPath, inHeader]) await assertNotStored(reply.text);
});

test("400: the dashboard, admin console and card form APIs reject card numbers in other fields", async () => {
  const person = await createPerson(shop);
  const named = await person.send("POST", "/auth/v1/sign_up", { email: `${number}@x.org` });
  assert.deepEqual(rejected(named), [400, "card_data_not_allowed", "email"]);
  const operator = await createPerson(shop, { operator: true, secondFactor: true });
  const reason = { reason: `lost ${number}` };
  const path = `/operator/v1/accounts/${shop.merchant.account}/suspend`;
  assert.deepEqual(rejected(await operator.send("POST", path, reason)), [
    400,
    "card_data_not_allowed",
    "reason",
  ]);
  const browser = await createCheckout(shop);
  const card = { ...typed(number), name: number, checkout_session_id: browser.session };
  const reply = await shop.send("POST", "/vault/cards", {
    body: card,
    headers: { authorization: `Bearer ${browser.secret}` },
  });
  assert.deepEqual(rejected(reply), [400, "card_data_not_allowed", "name"]);
  assert.equal((await browser.pay(number)).body.status, "complete");
  await assertNotStored(named.text + reply.text);
});

test("200: a bank account number may look like a card number, and is encrypted before it is stored", async () => {
  const owner = await createPerson(shop);
  const account = {
    holder_name: "Fieldware",
    country: "MX",
    currency: "mxn",
    account_number: "646180111812345676".replace(/.$/, "4"),
    routing_number: "646180",
  };
  const like = { ...account, account_number: number };
  const reply = await owner.api("POST", "/application/bank_account", like);
  assert.equal(reply.status, 200, reply.text);
  const { sentences } = await findCardsOutsideTheVault(shop.app.database.read);
  assert.deepEqual(sentences, []);
});

test("accepts an EAN-13, phone number, IBAN, UUID and time that pass Luhn, and the checker ignores them", async () => {
  const metadata = {
    ean: "4006381333931",
    ean_luhn: "4222222222222",
    phone: "+49 171 1234 5678",
    iban: "DE89 3704 0044 0532 0130 00",
    uuid: "550e8400-e29b-41d4-a716-446655440000",
    at: "1763700000004",
    imei: "490154203237518",
    reference: "42424242424242424242",
  };
  const { status, body } = await shop.post("/charges", { ...visa, metadata });
  assert.equal(status, 201);
  assert.deepEqual(body.metadata, metadata);
  const { total } = await findCardsOutsideTheVault(shop.app.database.read);
  assert.equal(total, 0);
});

/** Generates text from digits, card numbers, separators and escape sequences. */
const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom("4242", "4242 4242", "42424242", "4111", number, "378282246310005"),
      fc.stringMatching(/^[0-9]{1,7}$/),
      fc.constantFrom(" ", "-", "\n", "\\", "%20", "%", "\u00a0", "\u200b", ".", ",", "/", "a"),
      fc.constantFrom(
        '"',
        "{",
        "[",
        "]",
        ":",
        "٤٢",
        "４２",
        "\\u0034",
        "%34",
        "\u0001",
        '"cvc":"123"}',
      ),
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.join(""));

test("the checker reports only values that the API rejects", () => {
  fc.assert(
    fc.property(anyText, anyText, (one, other) => {
      const stored = { [one]: other, list: [other, one], note: one };
      if (findCardData(stored) !== null) return;
      assert.equal(findStoredCardData(JSON.stringify(stored)), null);
      assert.equal(findStoredCardData(one), null);
    }),
    { numRuns: dose("texts", { short: 3_000, long: 100_000 }) },
  );
});

test("the prefilter in Postgres keeps every text that contains a card number", async () => {
  const texts = fc
    .sample(anyText, { numRuns: 2_500, seed: 11 })
    .filter((text) => !text.includes("\0") && findCardNumber(text) !== null);
  assert.ok(texts.length > 100);
  const [escapes, manyDigits] = cardNumberPrefilter.escapes;
  const missed = await shop.app.database.read<{ text: string }>`
    select text from unnest(${texts}::text[]) as text
     where not (text ~ ${cardNumberPrefilter.digits} or (text ~ ${escapes} and text ~ ${manyDigits}))
  `;
  assert.deepEqual(missed, []);
});

test("rejects a card number in any text field of any operation and stores nothing", async () => {
  const owner = await createPerson(shop);
  const schemas = shop.document.components.schemas;
  const posts = Object.entries(shop.document.paths).flatMap(([path, { post }]) =>
    post?.requestBody ? [{ path, content: post.requestBody.content }] : [],
  );
  const tried = new Map<string, number>();
  for (const { path, content } of posts) {
    const schema = content["application/json"]?.schema;
    // Uploaded files are not searched for card numbers. They are encrypted regardless of their content.
    if (!schema) continue;
    const below = path.slice("/api/v1".length).replace("{id}", newId("ch", shop.clock.now()));
    const bodies = [fullBody(schemas, schema), exampleBody(schemas, schema)].flatMap(withCard);
    tried.set(path, bodies.length);
    for (const body of bodies) {
      const reply = await owner.api("POST", below, body);
      const sent = `${path} ${JSON.stringify(body)} ${reply.text}`;
      assert.ok([400, 403, 404].includes(reply.status), sent);
      assert.doesNotMatch(reply.text, /4242 ?4242/);
    }
  }
  assert.ok(tried.size >= 30, `${tried.size} operations`);
  const total = [...tried.values()].reduce((sum, count) => sum + count, 0);
  assert.ok(total > 150, `${total} bodies were tried`);
  await assertNotStored("");
});

/** Returns a body with every parameter, including those that exclude each other. */
function fullBody(schemas: Record<string, JsonSchema>, schema: JsonSchema): unknown {
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>;
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const [first] = Array.isArray(property.anyOf) ? property.anyOf : [property];
      return [name, exampleOf(schemas, first as JsonSchema, name)];
    }),
  );
}

/** Returns one copy of the body for each text in it, with a card number in place of that text. */
function withCard(value: unknown): unknown[] {
  if (typeof value === "string") return [number];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => withCard(item).map((one) => value.with(index, one)));
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === "account_number" ? [] : withCard(member).map((one) => ({ ...value, [name]: one })),
  );
}
