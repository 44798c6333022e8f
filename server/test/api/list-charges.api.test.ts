import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  type DisplayStatus,
  displayStatuses,
  displayStatusOf,
} from "@florin/contract/display-status.ts";
import fc from "fast-check";
import { type ChargeId, newId, uuidOf } from "../../src/core/ids.ts";
import { errorOf, startShop } from "../shop.ts";

const shop = await startShop();
after(() => shop.close());

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
type Item = { id: string; created: number };
const ids = (items: Item[]) => items.map(({ id }) => id);

/** Creates a merchant with this number of charges. Returns its key and the IDs of the charges, newest first. */
async function merchantWith(count: number) {
  const { key } = await shop.createMerchant();
  const made: string[] = [];
  for (let index = 0; index < count; index++) {
    made.unshift(
      (await shop.post("/charges", { ...visa, amount: 100 + index }, { as: key })).body.id,
    );
    shop.clock.advance(1_000);
  }
  return { key, made };
}

const many = await merchantWith(12);

test("200: a merchant without charges has an empty list", async () => {
  const { key } = await shop.createMerchant();
  const { status, body } = await shop.get("/charges", { as: key });
  assert.deepEqual(
    [status, body],
    [200, { object: "list", url: "/api/v1/charges", has_more: false, data: [] }],
  );
});

test("200: lists ten charges by default, newest first", async () => {
  const { body } = await shop.get("/charges", { as: many.key });
  assert.deepEqual(ids(body.data), many.made.slice(0, 10));
  assert.equal(body.has_more, true);
});

test("200: a list shows the same fields of a charge as a read", async () => {
  const { body } = await shop.get("/charges?limit=1", { as: many.key });
  assert.deepEqual(
    body.data[0],
    (await shop.get(`/charges/${many.made[0]}`, { as: many.key })).body,
  );
});

test("200: a list shows a charge in the same bytes as a read, after each of its changes", async () => {
  const { key } = await shop.createMerchant();
  const as = { as: key };
  const paid = await shop.post("/charges", { ...visa, metadata: { b: "é", "10": '"' } }, as);
  const held = await shop.post("/charges", { ...visa, capture_method: "manual" }, as);
  const assertListed = async () => {
    const charges = await Promise.all(
      [held, paid].map(async ({ body }) => (await shop.get(`/charges/${body.id}`, as)).text),
    );
    const expected = `{"object":"list","url":"/api/v1/charges","has_more":false,"data":[${charges.join(",")}]}`;
    // The second request gets the charges from the cache.
    for (const _ of [1, 2]) assert.equal((await shop.get("/charges", as)).text, expected);
  };
  await assertListed();
  await shop.post("/refunds", { charge_id: paid.body.id, amount: 500 }, as);
  await assertListed();
  await shop.post(`/charges/${paid.body.id}`, { description: "Paid", metadata: { b: "" } }, as);
  await assertListed();
  await shop.post("/test_helpers/clock/advance", { seconds: 3_600 }, as);
  await assertListed();
  await shop.post(`/charges/${held.body.id}/capture`, { amount: 700 }, as);
  await assertListed();
});

test("200: pages of any size, in both directions, contain every charge exactly once", async () => {
  const readAllPages = async (limit: number, cursor: "starting_after" | "ending_before") => {
    const listed: string[] = [];
    // With `ending_before`, the first page begins after the oldest charge, so that charge is the first cursor.
    let at = cursor === "ending_before" ? many.made.at(-1) : undefined;
    if (at) listed.push(at);
    for (;;) {
      const from = at ? `&${cursor}=${at}` : "";
      const { body } = await shop.get(`/charges?limit=${limit}${from}`, { as: many.key });
      const page = ids(body.data);
      if (cursor === "starting_after") listed.push(...page);
      else listed.unshift(...page);
      assert.ok(page.length === limit || !body.has_more);
      if (!body.has_more) return listed;
      at = cursor === "starting_after" ? page.at(-1) : page[0];
    }
  };
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 15 }),
      fc.constantFrom("starting_after" as const, "ending_before" as const),
      async (limit, cursor) => assert.deepEqual(await readAllPages(limit, cursor), many.made),
    ),
    { numRuns: 20 },
  );
});

test("200: charges created while a list is paged neither repeat nor hide others", async () => {
  const { key, made } = await merchantWith(7);
  const listed: string[] = [];
  for (let at = ""; ; ) {
    const { body } = await shop.get(`/charges?limit=2${at}`, { as: key });
    listed.push(...ids(body.data));
    await shop.post("/charges", visa, { as: key });
    if (!body.has_more) break;
    at = `&starting_after=${listed.at(-1)}`;
  }
  assert.deepEqual(listed, made);
});

test("200: a cursor is only a position and need not exist", async () => {
  const unknownCursor = newId("ch", new Date(0));
  const { body } = await shop.get(`/charges?ending_before=${unknownCursor}&limit=100`, {
    as: many.key,
  });
  assert.deepEqual(ids(body.data), many.made);
});

test("200: a page before the first charge is empty", async () => {
  const last = `ch_7${"z".repeat(25)}`;
  const { status, body } = await shop.get(`/charges?ending_before=${last}`, { as: many.key });
  assert.deepEqual([status, body.data, body.has_more], [200, [], false]);
});

test("200: bounds on created apply to whole seconds, inclusive or exclusive", async () => {
  const all = (await shop.get("/charges?limit=100", { as: many.key })).body.data as Item[];
  const middle = (all[5] as Item).created;
  for (const [bound, keeps] of [
    ["gt", (created: number) => created > middle],
    ["gte", (created: number) => created >= middle],
    ["lt", (created: number) => created < middle],
    ["lte", (created: number) => created <= middle],
  ] as const) {
    const { body } = await shop.get(`/charges?limit=100&created[${bound}]=${middle}`, {
      as: many.key,
    });
    assert.deepEqual(ids(body.data), ids(all.filter(({ created }) => keeps(created))), bound);
  }
  const both = `created[gte]=${middle}&created[lte]=${middle}`;
  const { body } = await shop.get(`/charges?${both}`, { as: many.key });
  assert.deepEqual(ids(body.data), ids(all.filter(({ created }) => created === middle)));
});

test("200: filters by status, payment method and checkout session", async () => {
  const { key } = await shop.createMerchant();
  const post = async (change: object) =>
    (await shop.post("/charges", { ...visa, ...change }, { as: key })).body;
  const good = await post({});
  const held = await post({ capture_method: "manual", payment_method_id: "pm_card_mastercard" });
  const failed = (await post({ payment_method_id: "pm_card_visa_chargeDeclined" })).error.charge;
  const list = async (query: string) =>
    ids((await shop.get(`/charges?${query}`, { as: key })).body.data);
  assert.deepEqual(await list("status=succeeded"), [good.id]);
  assert.deepEqual(await list("status=authorized"), [held.id]);
  assert.deepEqual(await list("status=failed"), [failed]);
  assert.deepEqual(await list("status=canceled"), []);
  assert.deepEqual(await list("payment_method_id=pm_card_mastercard"), [held.id]);
  assert.deepEqual(await list("payment_method_id=pm_card_mastercard&status=succeeded"), []);
  const session = newId("cs", shop.clock.now());
  await shop.app.database.transaction(
    (tx) =>
      tx`update charges set checkout_session_id = ${uuidOf(session)} where id = ${uuidOf(good.id)}`,
  );
  assert.deepEqual(await list(`checkout_session_id=${session}`), [good.id]);
});

test("200: each charge has exactly one status of the dashboard, and several can be combined", async () => {
  const { key: as } = await shop.createMerchant();
  const post = async (path: string, body: object) => (await shop.post(path, body, { as })).body;
  const pay = async (change: object = {}) => {
    const body = await post("/charges", { ...visa, ...change });
    return (body.id ?? body.error.charge) as ChargeId;
  };
  const refunded = await pay();
  const partially = await pay();
  const disputed = await pay();
  await post("/refunds", { charge_id: refunded });
  await post("/refunds", { charge_id: partially, amount: 500 });
  await post("/refunds", { charge_id: disputed, amount: 500 });
  await post("/test_helpers/disputes", { charge_id: disputed });
  const risky = { payment_method_id: "pm_card_riskLevelElevated" };
  const approved = await pay({ ...risky, capture_method: "manual" });
  const { decision_id } = (await shop.get(`/charges/${approved}`, { as })).body;
  await post(`/decisions/${decision_id}/approve`, {});
  const canceled = await pay({ capture_method: "manual" });
  await post(`/charges/${canceled}/cancel`, {});
  const challenged = { payment_method_id: "pm_card_threeDSecure2Required" };
  const [processing, reversed] = [await pay(challenged), await pay(challenged)];
  for (const [id, isReversed] of [
    [processing, false],
    [reversed, true],
  ] as const) {
    await shop.app.database.transaction(
      (tx) =>
        tx`update charges set status = 'processing', reversal_pending = ${isReversed} where id = ${uuidOf(id)}`,
    );
  }
  const expected: Record<DisplayStatus, ChargeId[]> = {
    succeeded: [await pay()],
    authorized: [approved],
    in_review: [await pay(risky)],
    processing: [processing],
    being_canceled: [reversed],
    requires_action: [await pay(challenged)],
    failed: [await pay({ payment_method_id: "pm_card_visa_chargeDeclined" })],
    canceled: [canceled],
    partially_refunded: [partially],
    refunded: [refunded],
    disputed: [disputed],
  };
  for (const status of displayStatuses) {
    const { body } = await shop.get(`/charges?display_status=${status}`, { as });
    assert.deepEqual(ids(body.data), expected[status], status);
    assert.equal(displayStatusOf(body.data[0], status === "in_review"), status);
  }
  const several = await shop.get("/charges?display_status=disputed,in_review,refunded", { as });
  assert.deepEqual(
    ids(several.body.data).toSorted(),
    [disputed, refunded, ...expected.in_review].toSorted(),
  );
  const all = `display_status=${displayStatuses.join(",")}`;
  const { body } = await shop.get(`/charges/count?${all}`, { as });
  assert.equal(body.count, displayStatuses.length);
});

for (const [query, code, param] of [
  ["limit=0", "parameter_invalid", "limit"],
  ["limit=101", "parameter_invalid", "limit"],
  ["limit=ten", "parameter_invalid_integer", "limit"],
  ["limit=1&limit=2", "parameter_invalid_integer", "limit"],
  ["starting_after=cs_01jb0000000000000000000000", "cursor_invalid", "starting_after"],
  ["ending_before=ch_1", "cursor_invalid", "ending_before"],
  ["status=done", "parameter_invalid", "status"],
  ["created=one", "parameter_invalid", "created"],
  ["created[gte]=yesterday", "parameter_invalid_integer", "created[gte]"],
  ["created[from]=1", "parameter_unknown", "created[from]"],
  ["currency=USD", "currency_unsupported", "currency"],
  ["offset=10", "parameter_unknown", "offset"],
  ["customer_id=ch_1", "resource_missing", "customer_id"],
  ["payment_method_id=visa", "resource_missing", "payment_method_id"],
  ["checkout_session_id=visa", "resource_missing", "checkout_session_id"],
] as const) {
  test(`400: rejects ?${query} with ${code}`, async () => {
    assert.deepEqual(errorOf(await shop.get(`/charges?${query}`)), [
      400,
      "invalid_request_error",
      code,
      param,
    ]);
  });
}

test("400: rejects starting_after together with ending_before", async () => {
  const [id] = many.made;
  const reply = await shop.get(`/charges?starting_after=${id}&ending_before=${id}`);
  assert.deepEqual(errorOf(reply), [
    400,
    "invalid_request_error",
    "parameters_exclusive",
    "ending_before",
  ]);
});
