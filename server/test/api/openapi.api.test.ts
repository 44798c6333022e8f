import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Reply } from "../client.ts";
import { responseCheckOf } from "../response-check.ts";
import { startShop } from "../shop.ts";

/*
 * `shop.ts` validates every response in this folder's tests against the OpenAPI document. These tests show that the
 * validation detects differences.
 */
const shop = await startShop();
after(() => shop.close());

const document = (await shop.send("GET", "/openapi.json")).body;
const check = responseCheckOf(document);
const path = "/api/v1/charges";
const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
const created = await shop.post("/charges", visa);
const replyWith = (body: object, status = created.status): Reply => ({ ...created, status, body });

test("accepts a response that matches the document", () => {
  check("POST", path, created);
});

for (const [what, body] of [
  ["an undocumented field", { ...created.body, secret: 1 }],
  ["a field of another type", { ...created.body, amount: "1999" }],
  ["an unknown status", { ...created.body, status: "done" }],
  ["null in a required field", { ...created.body, id: null }],
  ["an id of another type", { ...created.body, id: created.body.id.replace("ch_", "cs_") }],
  [
    "an undocumented nested field",
    { ...created.body, outcome: { ...created.body.outcome, why: "" } },
  ],
] as const) {
  test(`the check detects ${what}`, () => {
    assert.throws(() => check("POST", path, replyWith(body)), /violates the document/);
  });
}

test("the check detects every missing field", () => {
  for (const name of Object.keys(created.body)) {
    const { [name]: _, ...rest } = created.body;
    assert.throws(() => check("POST", path, replyWith(rest)), /violates the document/, name);
  }
});

test("the check detects an undocumented status", () => {
  assert.throws(() => check("POST", path, replyWith(created.body, 202)), /not in the document/);
});

test("the check detects an error without the envelope and a response without Request-Id", async () => {
  const { body } = await shop.get("/charges/ch_1");
  const { request_id, ...rest } = body.error;
  assert.throws(() => check("GET", path, replyWith({ error: rest }, 404)), /violates the document/);
  assert.throws(() => check("POST", path, { ...created, headers: new Headers() }), /no Request-Id/);
});

test("the object in an event matches the schema of its endpoint", async () => {
  const [event, ...others] = await shop.events();
  assert.deepEqual([event?.type, others], ["payment.succeeded", []]);
  check("GET", `${path}/${event.data.object.id}`, replyWith(event.data.object, 200));
});

test("the document describes itself and every path below /api/v1", () => {
  assert.equal(document.openapi, "3.1.0");
  assert.ok(Object.keys(document.paths).every((one) => one.startsWith("/api/v1/")));
});
