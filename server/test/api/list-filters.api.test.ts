import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { JsonSchema } from "@florin/contract/openapi.ts";
import { createPerson } from "../person.ts";
import { errorOf, startShop } from "../shop.ts";

/*
 * Tests every list of the API, as found in the OpenAPI document, which is generated from the route table. A new list
 * with a filter of an unexpected form fails here.
 */
const shop = await startShop({ workers: false });
after(() => shop.close());
const person = await createPerson(shop, { account: shop.merchant.account });

type Filter = { readonly name: string; readonly schema: JsonSchema };

const lists = Object.entries(shop.document.paths).flatMap(([path, { get }]) => {
  const filters = (get?.parameters ?? []).flatMap((one): Filter[] =>
    "in" in one && one.in === "query" ? [{ name: one.name, schema: one.schema }] : [],
  );
  const isList = filters.some(({ name }) => name === "limit");
  return get && isList ? [{ path, filters }] : [];
});

/** The paths of the public document, which keys can call. */
const openToKeys = Object.keys((await shop.send("GET", "/openapi.json")).body.paths);

const { id: endpoint } = (
  await shop.post("/webhook_endpoints", { url: "https://shop.example/hooks" })
).body;

/** Reads a list with a secret key, or as a person if keys cannot read the list. */
async function read({ path }: (typeof lists)[number], query: string) {
  const url = `${path.replace("/api/v1", "").replace("{id}", endpoint)}?${query}`;
  if (openToKeys.includes(path)) return shop.get(url);
  const headers = {
    cookie: person.cookie(),
    "florin-account": shop.merchant.account,
    "florin-mode": "test",
    "sec-fetch-site": "same-origin",
  };
  return shop.send("GET", `/api/v1${url}`, { headers });
}

test("the tests cover at least twenty lists", () => {
  assert.ok(lists.length >= 20, `${lists.length} lists`);
});

for (const list of lists) {
  test(`GET ${list.path}: enumerated filters accept several values, and bounds accept one number`, async () => {
    for (const { name, schema } of list.filters) {
      // `order_by` selects an order and is not a filter.
      assert.ok(!schema.enum || name === "order_by", `${name} takes one value only`);
      const items = schema.items as JsonSchema | undefined;
      if (items?.enum) {
        const values = items.enum as string[];
        for (const some of [values.slice(0, 1), values.slice(0, 2), values]) {
          const reply = await read(list, `${name}=${some.join(",")}`);
          assert.equal(reply.status, 200, `${name}=${some}: ${reply.text}`);
        }
        const reply = await read(list, `${name}=${values[0]},nothing`);
        assert.deepEqual(errorOf(reply).slice(0, 4), [
          400,
          errorOf(reply)[1],
          errorOf(reply)[2],
          name,
        ]);
      }
      if (schema.anyOf) {
        for (const query of [`${name}=5`, `${name}[gte]=5&${name}[lt]=7`]) {
          assert.equal((await read(list, query)).status, 200, query);
        }
        const both = errorOf(await read(list, `${name}=5&${name}[gte]=5`));
        assert.deepEqual([both[0], ...both.slice(2)], [400, "parameters_exclusive", name]);
        assert.equal(errorOf(await read(list, `${name}=five`))[3], name);
      }
    }
    assert.ok(list.filters.some(({ name, schema }) => name === "created" && schema.anyOf));
  });
}

test("several values find the union of their results, and an exact amount finds only that amount", async () => {
  const charge = async (amount: number, change: object = {}) => {
    const body = { amount, currency: "usd", payment_method_id: "pm_card_visa", ...change };
    const reply = await shop.post("/charges", body);
    return reply.body.id ?? reply.body.error.charge;
  };
  const paid = await charge(1_234);
  const held = await charge(1_235, { capture_method: "manual" });
  const failed = await charge(1_236, { payment_method_id: "pm_card_chargeDeclined" });
  const mastercard = await charge(1_237, { payment_method_id: "pm_card_mastercard" });
  const found = async (query: string) =>
    (await shop.get(`/charges?${query}`)).body.data.map(({ id }: { id: string }) => id);

  assert.deepEqual(await found("status=authorized,failed"), [failed, held]);
  assert.deepEqual(await found("amount=1235"), [held]);
  assert.deepEqual(await found("amount[gt]=1235&amount[lte]=1236"), [failed]);
  assert.deepEqual(await found("brand=mastercard,amex"), [mastercard]);
  assert.deepEqual(await found("brand=mastercard,visa&status=succeeded"), [mastercard, paid]);
  assert.deepEqual(await found("decline_code=generic_decline,fraudulent"), [failed]);
  const { created } = (await shop.get(`/charges/${paid}`)).body;
  assert.ok((await found(`created=${created}`)).includes(paid));
  assert.deepEqual(await found(`created=${created - 3_600}`), []);
});

test("events and balance transactions accept either type or types, and not both", async () => {
  const types = async (query: string) =>
    (await shop.get(`/events?limit=100&${query}`)).body.data.map(
      ({ type }: { type: string }) => type,
    );
  const matching = await types("types=payment.authorized,payment_failed");
  assert.deepEqual(new Set(matching), new Set(["payment.authorized", "payment_failed"]));
  assert.deepEqual(await types("type=payment.authorized,payment_failed"), matching);
  for (const [path, type] of [
    ["/events", "payment_failed"],
    ["/balance_transactions", "charge"],
  ]) {
    const { body } = await shop.get(`${path}?types=${type}`);
    assert.ok(body.data.length > 0);
    assert.ok(body.data.every((one: { type: string }) => one.type === type));
    const both = await shop.get(`${path}?type=${type}&types=${type}`);
    assert.deepEqual(errorOf(both).slice(2), ["parameters_exclusive", "types"]);
  }
});
