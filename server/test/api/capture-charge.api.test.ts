import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type ChargeId, newId, uuidOf } from "../../src/core/ids.ts";
import { operationsAtAcquirer } from "../acquirer-operations.ts";
import { createCheckout } from "../checkout.ts";
import { closeChecked } from "../close-checked.ts";
import { acquirerTiming, errorOf, startShop, until } from "../shop.ts";
import { day, hour, second } from "../test-clock.ts";

const shop = await startShop();
after(() => closeChecked(shop));

const held = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
const authorize = async (change = {}) =>
  (await shop.post("/charges", { ...held, capture_method: "manual", ...change })).body;
const capture = (id: string, body: object = {}, sent = {}) =>
  shop.post(`/charges/${id}/capture`, body, sent);
const read = async (id: string) => (await shop.get(`/charges/${id}`)).body;
const eventsOf = async (id: string) => (await shop.events(id)).map(({ type }) => type);

const atAcquirer = (charge: ChargeId) => operationsAtAcquirer(shop, charge);

test("200: captures the full amount once and records it in the ledger", async () => {
  const before = await authorize();
  assert.deepEqual([before.status, before.amount_captured], ["authorized", 0]);
  const { status, body } = await capture(before.id);
  assert.deepEqual(
    [status, body.status, body.amount_captured, body.capture_before],
    [200, "succeeded", 1999, null],
  );
  assert.equal(body.balance_transaction_id, before.id.replace("ch_", "txn_"));
  assert.ok(body.version > before.version);
  assert.deepEqual(await read(before.id), body);
  assert.deepEqual((await eventsOf(before.id)).sort(), [
    "payment.authorized",
    "payment.captured",
    "payment.succeeded",
  ]);
  assert.deepEqual(await atAcquirer(before.id), [{ kind: "capture", state: "done", amount: 1999 }]);
});

test("200: the fee of a partial capture is computed from the captured amount", async () => {
  const { id } = await authorize({ amount: 10_000 });
  const { body } = await capture(id, { amount: 2_500 });
  assert.deepEqual([body.amount, body.amount_captured], [10_000, 2_500]);
  const lines = await shop.app.database.read<{ kind: string; amount: number }>`
    select kind, amount from ledger_transfers where source_id = ${uuidOf(id)} order by line`;
  assert.deepEqual(lines, [
    { kind: "charge", amount: 2_500 },
    { kind: "fee", amount: 103 },
  ]);
});

test("200: a captured charge completes its session as paid", async () => {
  const browser = await createCheckout(shop, {
    capture_method: "manual",
    client_reference_id: "7",
  });
  await browser.pay("4242424242424242");
  const session = await until(
    async () => (await shop.get(`/checkout_sessions/${browser.session}`)).body,
    ({ status }) => status === "complete",
  );
  assert.equal(session.payment_status, "authorized");
  await capture(session.charge_id);
  const paid = (await shop.get(`/checkout_sessions/${browser.session}`)).body;
  assert.deepEqual([paid.payment_status, paid.version], ["paid", session.version + 1]);
  const [captured] = (await shop.events(session.charge_id)).filter(
    ({ type }) => type === "payment.captured",
  );
  assert.equal(captured.data.object.client_reference_id, "7");
});

test("200: a repeated key returns the same bytes and captures nothing more", async () => {
  const { id } = await authorize();
  const first = await capture(id, {}, { key: "capture once" });
  const again = await capture(id, {}, { key: "capture once" });
  assert.equal(again.headers.get("idempotent-replayed"), "true");
  assert.equal(again.text, first.text);
  assert.equal((await atAcquirer(id)).length, 1);
});

test("200: of 64 concurrent captures exactly one succeeds", async () => {
  const { id } = await authorize();
  const replies = await Promise.all(Array.from({ length: 64 }, () => capture(id)));
  const codes = Map.groupBy(replies, (reply) => reply.body.error?.code ?? "taken");
  assert.equal(codes.get("taken")?.length, 1);
  for (const code of codes.keys()) {
    assert.ok(
      ["taken", "charge_outcome_pending", "status_transition_invalid"].includes(code),
      code,
    );
  }
  assert.deepEqual(await atAcquirer(id), [{ kind: "capture", state: "done", amount: 1999 }]);
});

test("200: concurrent captures and cancels reach a single outcome", async () => {
  for (let round = 0; round < 5; round++) {
    const { id } = await authorize();
    await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        index % 2 ? capture(id) : shop.post(`/charges/${id}/cancel`, {}),
      ),
    );
    const { status } = await read(id);
    const done = (await atAcquirer(id)).map(({ kind }) => kind);
    assert.deepEqual(done, [status === "succeeded" ? "capture" : "void"]);
  }
});

for (const [what, faults] of [
  ["the request is lost", { dropBefore: true }],
  ["the response is lost", { dropAfter: true }],
  ["the response is unreadable", { garbage: true }],
  ["the response is too late", { delayMs: 2 * acquirerTiming.responseTimeoutMs }],
] as const) {
  test(`200: ${what}: the charge stays authorized with a pending reason, and is captured once`, async () => {
    const { id } = await authorize();
    shop.simulator.injectFaults({ ...faults, on: ["capture"], times: 1 });
    const { status, body } = await capture(id);
    assert.deepEqual(
      [status, body.status, body.pending_reason],
      [200, "authorized", "outcome_unknown"],
    );
    assert.deepEqual(errorOf(await capture(id)).slice(2), ["charge_outcome_pending", "id"]);
    assert.deepEqual(errorOf(await shop.post(`/charges/${id}/cancel`, {})).slice(2), [
      "charge_outcome_pending",
      "id",
    ]);
    shop.clock.advance(5 * second);
    const after = await until(
      () => read(id),
      (charge) => charge.status !== "authorized",
    );
    assert.deepEqual([after.status, after.amount_captured], ["succeeded", 1999]);
    assert.equal((await atAcquirer(id)).length, 1);
    assert.equal((await eventsOf(id)).filter((type) => type === "payment.captured").length, 1);
  });
}

test("200: a duplicate acquirer response captures the charge once", async () => {
  const { id } = await authorize();
  shop.simulator.injectFaults({ respondTwice: true, on: ["capture"], times: 1 });
  assert.equal((await capture(id)).body.status, "succeeded");
  assert.equal((await eventsOf(id)).length, 3);
});

test("402: a capture that the acquirer declines leaves the charge authorized, so that the charge can be canceled", async () => {
  const { id } = await authorize({ amount: 9_006_001 });
  const first = await capture(id, {}, { key: "rejected" });
  assert.deepEqual(errorOf(first), [402, "card_error", "card_declined"]);
  assert.deepEqual(
    [first.body.error.decline_code, first.body.error.charge],
    ["processing_error", id],
  );
  assert.match(
    first.body.error.message,
    /is still 'authorized'\. Try the capture again with a new request, or cancel the charge\.$/,
  );
  assert.equal((await capture(id, {}, { key: "rejected" })).text, first.text);
  const after = await read(id);
  assert.deepEqual([after.status, after.pending_reason], ["authorized", null]);
  assert.equal((await shop.post(`/charges/${id}/cancel`, {})).body.status, "canceled");
});

test("400: rejects a capture of zero or of more than the authorized amount", async () => {
  const { id } = await authorize();
  for (const [amount, code] of [
    [2000, "amount_exceeds_capturable"],
    [0, "invalid_charge_amount"],
    [-1, "invalid_charge_amount"],
    [1_000_000_000_000, "amount_too_large"],
    [1.5, "parameter_invalid_integer"],
  ] as const) {
    assert.deepEqual(errorOf(await capture(id, { amount })).slice(2), [code, "amount"]);
  }
  assert.equal((await read(id)).status, "authorized");
});

test("400: rejects a capture of a charge that is not authorized and names its state and the required one", async () => {
  const paid = (await shop.post("/charges", held)).body.id;
  const declined = { ...held, payment_method_id: "pm_card_visa_chargeDeclined" };
  const failed = (await shop.post("/charges", declined)).body.error.charge;
  const unknown = (await shop.post("/charges", { ...held, amount: 9_004_005 })).body.id;
  for (const [id, state] of [
    [paid, "succeeded"],
    [failed, "failed"],
    [unknown, "processing"],
  ]) {
    const reply = await capture(id);
    assert.deepEqual(errorOf(reply).slice(2), ["status_transition_invalid", "id"]);
    assert.match(reply.body.error.message, new RegExp(`'${state}'.*'authorized'`));
  }
});

test("400: rejects a capture after seven days, when the authorization has been released automatically", async () => {
  const { id } = await authorize();
  shop.clock.advance(7 * day + second);
  assert.deepEqual(errorOf(await capture(id)).slice(2), [
    "capture_charge_authorization_expired",
    "id",
  ]);
  const after = await until(
    () => read(id),
    ({ status }) => status !== "authorized",
  );
  assert.equal(after.status, "canceled");
  assert.deepEqual(await eventsOf(id), ["payment.authorized", "payment.canceled"]);
  assert.deepEqual(await atAcquirer(id), [{ kind: "void", state: "done", amount: 1999 }]);
});

test("a release that the acquirer declines is repeated after increasing delays", async () => {
  const { id } = await authorize();
  const setStateAtAcquirer = (state: string) =>
    shop.app.database.autocommit(
      (tx) =>
        tx`update simulator.authorizations set state = ${state} where reference = ${uuidOf(id)}`,
    );
  const voids = async () => {
    const rows = await shop.app.database.read<{ status: string }>`
      select status from operations where charge_id = ${uuidOf(id)} and kind = 'void' order by id`;
    return rows.map(({ status }) => status);
  };
  await setStateAtAcquirer("reversed");
  shop.clock.advance(7 * day + hour);
  await until(voids, (found) => found[0] === "failed");
  for (let turn = 0; turn < 5; turn++) await shop.timers.turn();
  assert.deepEqual(await voids(), ["failed"]);

  shop.clock.advance(day);
  await until(voids, (found) => found[1] === "failed");
  await setStateAtAcquirer("approved");
  shop.clock.advance(day / 2);
  for (let turn = 0; turn < 5; turn++) await shop.timers.turn();
  assert.deepEqual(await voids(), ["failed", "failed"]);
  shop.clock.advance(day);
  await until(
    () => read(id),
    ({ status }) => status === "canceled",
  );
  assert.deepEqual(await voids(), ["failed", "failed", "succeeded"]);
});

test("404: rejects a capture of an unknown charge", async () => {
  const nothing = newId("ch", shop.clock.now());
  for (const id of [nothing, "ch_1", "re_01jb0000000000000000000000"]) {
    assert.deepEqual(errorOf(await capture(id)), [
      404,
      "invalid_request_error",
      "resource_missing",
      "id",
    ]);
  }
});
