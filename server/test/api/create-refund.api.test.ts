import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type ChargeId, newId, uuidOf } from "../../src/core/ids.ts";
import { operationsAtAcquirer } from "../acquirer-operations.ts";
import { closeChecked } from "../close-checked.ts";
import { acquirerTiming, errorOf, startShop, until } from "../shop.ts";
import { second } from "../test-clock.ts";
import { dose } from "../test-size.ts";

const shop = await startShop();
after(() => closeChecked(shop));

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
const pay = async (change = {}) =>
  (await shop.post("/charges", { ...visa, ...change })).body.id as ChargeId;
const refund = (charge_id: string, body: object = {}, sent = {}) =>
  shop.post("/refunds", { charge_id, ...body }, sent);
const read = async (path: string) => (await shop.get(path)).body;
const eventsOf = async (id: string) => (await shop.events(id)).map(({ type }) => type);
const waitForRefund = (id: string, status: string) =>
  until(
    () => read(`/refunds/${id}`),
    (one) => one.status === status,
  );

/** Returns the ledger transfers of a refund: kind and amount of each. */
const transfersOf = (id: string) =>
  shop.app.database.read`
    select kind, amount from ledger_transfers where source_id = ${uuidOf(id as "re_")} order by entry_id, line`;

test("201: a full refund updates the refund, the charge, the ledger and the acquirer's records, and emits one event", async () => {
  const charge = await pay();
  const { status, body } = await refund(charge, {
    reason: "requested_by_customer",
    metadata: { ticket: "7" },
  });
  assert.equal(status, 201);
  assert.deepEqual(
    [body.object, body.charge_id, body.amount, body.currency, body.status, body.reason],
    ["refund", charge, 1999, "usd", "succeeded", "requested_by_customer"],
  );
  assert.deepEqual([body.metadata, body.failure_reason], [{ ticket: "7" }, null]);
  assert.equal(body.balance_transaction_id, body.id.replace("re_", "txn_"));
  assert.deepEqual(await read(`/refunds/${body.id}`), body);
  const after = await read(`/charges/${charge}`);
  assert.deepEqual(
    [after.status, after.amount_refunded, after.refunded],
    ["succeeded", 1999, true],
  );
  assert.deepEqual(await transfersOf(body.id), [{ kind: "refund", amount: 1999 }]);
  assert.deepEqual(await eventsOf(body.id), ["refund.succeeded"]);
  assert.deepEqual((await shop.events(body.id))[0].data.object, body);
  const done = [{ kind: "refund", state: "done", amount: 1999 }];
  assert.deepEqual(await operationsAtAcquirer(shop, charge), done);
});

test("201: several partial refunds can be followed by a refund of the rest", async () => {
  const charge = await pay();
  for (const amount of [500, 499]) await refund(charge, { amount });
  assert.equal((await read(`/charges/${charge}`)).refunded, false);
  assert.equal((await refund(charge)).body.amount, 1000);
  assert.equal((await read(`/charges/${charge}`)).refunded, true);
});

test("201: a refund of a partially captured charge returns the captured amount", async () => {
  const charge = await pay({ capture_method: "manual" });
  await shop.post(`/charges/${charge}/capture`, { amount: 700 });
  assert.deepEqual(errorOf(await refund(charge, { amount: 701 })).slice(2), [
    "refund_amount_exceeds_captured",
    "amount",
  ]);
  assert.equal((await refund(charge)).body.amount, 700);
});

test("201: a repeated key returns the same response and refunds once", async () => {
  const charge = await pay();
  const replies = await Promise.all(
    Array.from({ length: 64 }, () => refund(charge, { amount: 100 }, { key: "refund once" })),
  );
  assert.ok(replies.every(({ status, text }) => status === 201 && text === replies[0]?.text));
  assert.equal((await read(`/charges/${charge}`)).amount_refunded, 100);
  assert.equal((await operationsAtAcquirer(shop, charge)).length, 1);
});

for (const [count, amount] of [
  [dose("refunds-of-100", { short: 64, long: 200 }), 100],
  [dose("refunds-of-33", { short: 96, long: 500 }), 33],
] as const) {
  test(`201: of ${count} concurrent refunds of ${amount}, only those that the captured amount covers succeed`, async () => {
    const charge = await pay();
    const replies = await Promise.all(
      Array.from({ length: count }, () => refund(charge, { amount })),
    );
    const created = replies.filter(({ status }) => status === 201);
    const max = Math.floor(1999 / amount);
    assert.equal(created.length, max);
    // With so many requests, some acquirer responses arrive too late. Inquiries then find the outcomes of the refunds.
    shop.clock.advance(5 * second);
    for (const { body } of created) await waitForRefund(body.id, "succeeded");
    for (const reply of replies) {
      if (reply.status !== 201) {
        assert.match(
          errorOf(reply)[2],
          /^(refund_amount_exceeds_captured|charge_already_refunded)$/,
        );
      }
    }
    assert.equal((await read(`/charges/${charge}`)).amount_refunded, max * amount);
    const atAcquirer = await operationsAtAcquirer(shop, charge);
    assert.equal(
      atAcquirer.reduce((sum, line) => sum + line.amount, 0),
      max * amount,
    );
  });
}

for (const [what, faults] of [
  ["the request is lost", { dropBefore: true }],
  ["the response is lost", { dropAfter: true }],
  ["the response is unreadable", { garbage: true }],
  ["the response is too late", { delayMs: 2 * acquirerTiming.responseTimeoutMs }],
] as const) {
  test(`201: ${what}: the refund is pending, holds its amount, and succeeds once`, async () => {
    const charge = await pay();
    shop.simulator.injectFaults({ ...faults, on: ["refund"], times: 1 });
    const { status, body } = await refund(charge);
    assert.deepEqual(
      [status, body.status, body.pending_reason],
      [201, "pending", "outcome_unknown"],
    );
    assert.deepEqual(await transfersOf(body.id), []);
    assert.equal(errorOf(await refund(charge, { amount: 1 }))[2], "charge_already_refunded");
    shop.clock.advance(5 * second);
    const after = await waitForRefund(body.id, "succeeded");
    assert.equal(after.pending_reason, null);
    assert.deepEqual(await transfersOf(body.id), [{ kind: "refund", amount: 1999 }]);
    assert.deepEqual(await eventsOf(body.id), ["refund.succeeded"]);
    assert.equal((await operationsAtAcquirer(shop, charge)).length, 1);
  });
}

test("201: a refund pending at the acquirer succeeds with the acquirer's notification", async () => {
  const charge = await pay({ payment_method_id: "pm_card_pendingRefund" });
  const { body } = await refund(charge);
  assert.deepEqual([body.status, body.pending_reason], ["pending", "acquirer_processing"]);
  await waitForRefund(body.id, "succeeded");
  assert.deepEqual(await eventsOf(body.id), ["refund.succeeded"]);
});

test("201: when a succeeded refund fails, its amount is restored and can be refunded again", async () => {
  const charge = await pay({ payment_method_id: "pm_card_refundFail" });
  const { body } = await refund(charge, {}, { key: "fails late" });
  assert.equal(body.status, "succeeded");
  const after = await waitForRefund(body.id, "failed");
  assert.deepEqual(
    [after.failure_reason, after.balance_transaction_id],
    ["invalid_account", body.balance_transaction_id],
  );
  assert.notEqual(after.failure_balance_transaction_id, null);
  assert.deepEqual(await eventsOf(body.id), ["refund.succeeded", "refund.failed"]);
  assert.deepEqual(await transfersOf(body.id), [
    { kind: "refund", amount: 1999 },
    { kind: "refund_failure", amount: 1999 },
  ]);
  assert.equal((await read(`/charges/${charge}`)).amount_refunded, 0);
  // The response that is stored for the idempotency key does not change.
  assert.equal((await refund(charge, {}, { key: "fails late" })).body.status, "succeeded");
  assert.equal((await refund(charge)).status, 201);
});

test("201: a refund that the acquirer declines fails and releases its amount", async () => {
  const charge = await pay();
  await shop.app.database.transaction(
    (tx) =>
      tx`update simulator.authorizations set currency = 'eur' where reference = ${uuidOf(charge)}`,
  );
  const { status, body } = await refund(charge);
  assert.deepEqual([status, body.status], [201, "failed"]);
  assert.equal(body.failure_reason, "currency_not_supported");
  assert.deepEqual(await eventsOf(body.id), ["refund.failed"]);
  assert.equal((await read(`/charges/${charge}`)).amount_refunded, 0);
  await shop.app.database.transaction(
    (tx) =>
      tx`update simulator.authorizations set currency = 'usd' where reference = ${uuidOf(charge)}`,
  );
});

test("400: rejects a refund of a charge with nothing to refund and names the reason", async () => {
  const held = await pay({ capture_method: "manual" });
  const unknown = await pay({ amount: 9_004_005 });
  const declined = { ...visa, payment_method_id: "pm_card_visa_chargeDeclined" };
  const failed = (await shop.post("/charges", declined)).body.error.charge;
  for (const [charge, code, state] of [
    [held, "charge_not_refundable", "authorized"],
    [failed, "charge_not_refundable", "failed"],
    [unknown, "charge_outcome_pending", "processing"],
  ] as const) {
    const reply = await refund(charge, {}, { key: `no money ${charge}` });
    assert.deepEqual(errorOf(reply), [400, "invalid_request_error", code, "charge_id"]);
    assert.match(reply.body.error.message, new RegExp(`'${state}'`));
  }
  // Nothing was executed, so no response was stored. The same key works once the charge has succeeded.
  shop.clock.advance(60 * second);
  await until(
    () => read(`/charges/${unknown}`),
    ({ status }) => status === "succeeded",
  );
  assert.equal((await refund(unknown, {}, { key: `no money ${unknown}` })).status, 201);
});

test("400: rejects amounts that cannot be refunded", async () => {
  const charge = await pay();
  for (const [amount, code] of [
    [2000, "refund_amount_exceeds_captured"],
    [0, "invalid_charge_amount"],
    [-5, "invalid_charge_amount"],
    ["5", "parameter_invalid_integer"],
  ] as const) {
    assert.deepEqual(errorOf(await refund(charge, { amount })).slice(2), [code, "amount"]);
  }
  await refund(charge);
  assert.deepEqual(errorOf(await refund(charge)).slice(2), [
    "charge_already_refunded",
    "charge_id",
  ]);
});

test("400: rejects a refund without a charge or with an unknown one", async () => {
  assert.deepEqual(errorOf(await shop.post("/refunds", {})).slice(2), [
    "parameter_missing",
    "charge_id",
  ]);
  for (const charge of [newId("ch", shop.clock.now()), "ch_1", "re_1"]) {
    assert.deepEqual(errorOf(await refund(charge)).slice(2), ["resource_missing", "charge_id"]);
  }
  assert.deepEqual(errorOf(await refund(await pay(), { reason: "because" })).slice(2), [
    "parameter_invalid",
    "reason",
  ]);
});

test("422: rejects the same key with a different amount", async () => {
  const charge = await pay();
  await refund(charge, { amount: 5 }, { key: "bound" });
  assert.equal((await refund(charge, { amount: 6 }, { key: "bound" })).status, 422);
  assert.equal((await read(`/charges/${charge}`)).amount_refunded, 5);
});

test("200: lists the refunds of a charge newest first, and pages neither overlap nor skip", async () => {
  const charge = await pay();
  const ids: string[] = [];
  for (const amount of [1, 2, 3]) ids.unshift((await refund(charge, { amount })).body.id);
  const { data } = await read(`/refunds?charge_id=${charge}`);
  assert.deepEqual(
    data.map(({ id }: { id: string }) => id),
    ids,
  );
  const page = await read(`/refunds?charge_id=${charge}&limit=2`);
  assert.equal(page.has_more, true);
  const rest = await read(`/refunds?charge_id=${charge}&starting_after=${ids[1]}`);
  assert.deepEqual(rest.data, [data[2]]);
  assert.equal((await read("/refunds?limit=1")).data[0].id, ids[0]);
});

test("200: lists and downloads the refunds with the given statuses", async () => {
  const [paid, waiting] = [await pay(), await pay()];
  await refund(paid);
  shop.simulator.injectFaults({ dropBefore: true, on: ["refund"], times: 1 });
  const { body } = await refund(waiting);
  for (const [status, found, other] of [
    ["pending", waiting, paid],
    ["succeeded,failed", paid, waiting],
  ] as const) {
    const { data } = await read(`/refunds?status=${status}&limit=100`);
    const charges = data.map(({ charge_id }: { charge_id: string }) => charge_id);
    assert.deepEqual([charges.includes(found), charges.includes(other)], [true, false]);
    const { text } = await shop.get(`/refunds.csv?status=${status}`);
    assert.deepEqual([text.includes(found), text.includes(other)], [true, false]);
  }
  shop.clock.advance(5 * second);
  await waitForRefund(body.id, "succeeded");
});

test("404: rejects an unknown refund", async () => {
  for (const id of [newId("re", shop.clock.now()), "re_1", await pay()]) {
    assert.deepEqual(errorOf(await shop.get(`/refunds/${id}`)).slice(2), [
      "resource_missing",
      "id",
    ]);
  }
});
