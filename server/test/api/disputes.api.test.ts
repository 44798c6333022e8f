import assert from "node:assert/strict";
import { after, test } from "node:test";
import { newId, uuidOf } from "../../src/core/ids.ts";
import { closeChecked } from "../close-checked.ts";
import { errorOf, startShop, until } from "../shop.ts";
import { slowed } from "../slowness.ts";
import { day, second } from "../test-clock.ts";

const shop = await startShop();
after(() => closeChecked(shop));

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
const pay = async (change = {}) => (await shop.post("/charges", { ...visa, ...change })).body.id;
const read = async (path: string) => (await shop.get(path)).body;
const open = async (charge_id: string, params: object = {}) =>
  (await shop.post("/test_helpers/disputes", { charge_id, ...params })).body;
const waitForDispute = (id: string, ...states: string[]) =>
  until(
    () => read(`/disputes/${id}`),
    ({ status }) => states.includes(status),
  );
const eventsOf = async (id: string) => (await shop.events(id)).map(({ type }) => type);

/** Returns the ledger transfers of a dispute: kind and amount of each. */
const transfersOf = async (id: string) =>
  (
    await shop.app.database.read<{ kind: string; amount: number }>`
      select kind, amount from ledger_transfers where source_id = ${uuidOf(id as "dp_")} order by entry_id, line`
  ).map(({ kind, amount }) => [kind, amount]);

for (const [method, reason] of [
  ["pm_card_createDispute", "fraudulent"],
  ["pm_card_createDisputeProductNotReceived", "product_not_received"],
]) {
  test(`${method}: the payment succeeds and is disputed as ${reason} shortly afterwards`, async () => {
    const charge = await pay({ payment_method_id: method });
    const [dispute] = await until(
      async () => (await read(`/disputes?charge_id=${charge}`)).data,
      (found) => found.length > 0,
    );
    assert.deepEqual(
      [dispute.status, dispute.reason, dispute.amount, dispute.is_inquiry, dispute.funds_withdrawn],
      ["needs_response", reason, 1999, false, true],
    );
    assert.deepEqual(await transfersOf(dispute.id), [
      ["dispute", 1999],
      ["dispute_fee", 1500],
    ]);
    assert.deepEqual(await eventsOf(dispute.id), ["dispute.opened"]);
    const after = await read(`/charges/${charge}`);
    assert.deepEqual([after.disputed, after.amount_disputed], [true, 1999]);
    assert.deepEqual(errorOf(await shop.post("/refunds", { charge_id: charge })).slice(2), [
      "refund_disputed_payment",
      "charge_id",
    ]);
  });
}

test("400: of several concurrent disputes of one payment only one succeeds", async () => {
  const charge_id = await pay();
  const started = Date.now();
  const opened = await Promise.all(
    Array.from({ length: 4 }, () => shop.post("/test_helpers/disputes", { charge_id })),
  );
  const rejected = opened.filter(({ status }) => status !== 201);
  assert.deepEqual(
    rejected.map((response) => errorOf(response)),
    Array(3).fill([400, "invalid_request_error", "status_transition_invalid", "charge_id"]),
  );
  assert.ok(
    Date.now() - started < slowed(4_000),
    "the rejected requests waited for a notification that is never sent",
  );
});

test("an authorized payment cannot be disputed before its capture", async () => {
  const charge = await pay({
    payment_method_id: "pm_card_createDispute",
    capture_method: "manual",
  });
  shop.clock.advance(10 * second);
  await shop.post(`/charges/${charge}/capture`, { amount: 800 });
  shop.clock.advance(10 * second);
  const [dispute] = await until(
    async () => (await read(`/disputes?charge_id=${charge}`)).data,
    (found) => found.length > 0,
  );
  assert.equal(dispute.amount, 800);
});

test("200: winning evidence wins the dispute and returns the amount without the fee", async () => {
  const charge = await pay();
  const { id } = await open(charge);
  const evidence = { uncategorized_text: "winning_evidence", customer_name: "Ada" };
  const { status, body } = await shop.post(`/disputes/${id}/evidence`, evidence);
  assert.deepEqual([status, body.status, body.evidence], [200, "under_review", evidence]);
  const won = await waitForDispute(id, "won");
  assert.equal(won.funds_withdrawn, false);
  assert.deepEqual(await transfersOf(id), [
    ["dispute", 1999],
    ["dispute_fee", 1500],
    ["dispute_reversal", 1999],
  ]);
  assert.deepEqual(await eventsOf(id), ["dispute.opened", "dispute.closed"]);
  assert.equal((await read(`/charges/${charge}`)).disputed, false);
  assert.equal((await shop.post("/refunds", { charge_id: charge })).status, 201);
});

test("200: losing evidence loses the dispute, and its amount cannot be refunded", async () => {
  const charge = await pay();
  const { id } = await open(charge, { amount: 1500 });
  await shop.post(`/disputes/${id}/evidence`, { uncategorized_text: "losing_evidence" });
  assert.equal((await waitForDispute(id, "lost")).funds_withdrawn, true);
  assert.deepEqual((await transfersOf(id)).at(-1), ["dispute_loss", 1500]);
  assert.deepEqual(
    errorOf(await shop.post("/refunds", { charge_id: charge, amount: 500 })).slice(2),
    ["refund_amount_exceeds_captured", "amount"],
  );
  assert.equal((await shop.post("/refunds", { charge_id: charge })).body.amount, 499);
});

test("200: other evidence leaves the dispute under review until the network decides", async () => {
  const { id } = await open(await pay());
  await shop.post(`/disputes/${id}/evidence`, { product_description: "A cup" });
  const { body } = await shop.post(`/test_helpers/disputes/${id}/close`, { outcome: "won" });
  assert.equal(body.status, "won");
});

test("200: an accepted dispute is lost immediately, and a repeated key returns the same response", async () => {
  const { id } = await open(await pay());
  const first = await shop.post(`/disputes/${id}/accept`, {}, { key: "accept" });
  assert.equal(first.body.status, "lost");
  assert.equal((await shop.post(`/disputes/${id}/accept`, {}, { key: "accept" })).text, first.text);
  assert.deepEqual(await eventsOf(id), ["dispute.opened", "dispute.closed"]);
});

test("a dispute response that does not reach the network is sent again", async () => {
  const { id } = await open(await pay());
  // Waits for the submissions of earlier tests, because the fault must not affect them.
  await until(
    async () => shop.app.database.read`select 1 from disputes where response_due_at is not null`,
    (rows) => rows.length === 0,
  );
  shop.simulator.injectFaults({ dropBefore: true, on: ["dispute"], times: 1 });
  await shop.post(`/disputes/${id}/evidence`, { uncategorized_text: "winning_evidence" });
  await until(
    async () => shop.app.database.read`
      select 1 from disputes where id = ${uuidOf(id)} and response_due_at > ${shop.clock.now()}`,
    (rows) => rows.length === 1,
  );
  shop.clock.advance(91 * second);
  await waitForDispute(id, "won");
});

test("an inquiry moves no money, can be closed by a response, and allows refunds", async () => {
  const charge = await pay({ payment_method_id: "pm_card_createDisputeInquiry" });
  const [inquiry] = await until(
    async () => (await read(`/disputes?charge_id=${charge}`)).data,
    (found) => found.length > 0,
  );
  assert.deepEqual([inquiry.is_inquiry, inquiry.funds_withdrawn], [true, false]);
  assert.deepEqual(await transfersOf(inquiry.id), []);
  assert.equal((await shop.post("/refunds", { charge_id: charge, amount: 100 })).status, 201);
  await shop.post(`/disputes/${inquiry.id}/evidence`, { uncategorized_text: "winning_evidence" });
  assert.equal((await waitForDispute(inquiry.id, "won")).is_inquiry, true);
  assert.deepEqual(await transfersOf(inquiry.id), []);
});

test("a lost inquiry debits the remaining amount of the payment", async () => {
  const charge = await pay();
  const { id } = await open(charge, { is_inquiry: true });
  await shop.post("/refunds", { charge_id: charge, amount: 999 });
  await shop.post(`/disputes/${id}/evidence`, { uncategorized_text: "losing_evidence" });
  const lost = await waitForDispute(id, "lost");
  assert.deepEqual([lost.amount, lost.is_inquiry], [1000, false]);
});

test("an unanswered dispute is lost at its deadline, and an unanswered inquiry becomes a dispute first", async () => {
  const { id } = await open(await pay());
  const inquiry = await open(await pay(), { is_inquiry: true });
  shop.clock.advance(14 * day + second);
  const late = await shop.post(`/disputes/${id}/evidence`, { uncategorized_text: "late" });
  assert.match(errorOf(late)[2], /^dispute_(evidence_past_due|closed)$/);
  await waitForDispute(id, "lost");
  const escalated = await until(
    () => read(`/disputes/${inquiry.id}`),
    ({ is_inquiry }) => !is_inquiry,
  );
  assert.deepEqual([escalated.status, escalated.funds_withdrawn], ["needs_response", true]);
  assert.ok(escalated.evidence_due_by > inquiry.evidence_due_by);
  shop.clock.advance(14 * day + second);
  await waitForDispute(inquiry.id, "lost");
  assert.deepEqual(await eventsOf(inquiry.id), [
    "dispute.opened",
    "dispute.opened",
    "dispute.closed",
  ]);
});

test("a case that the network reports twice becomes one dispute", async () => {
  const charge = await pay();
  const { id } = await open(charge);
  await shop.app.database.transaction(
    (tx) => tx`update simulator.cases set notify_at = now() where reference = ${uuidOf(charge)}`,
  );
  await until(
    async () => shop.app.database.read`
      select 1 from simulator.cases where reference = ${uuidOf(charge)} and notify_at is null`,
    (rows) => rows.length === 1,
  );
  const { data } = await read(`/disputes?charge_id=${charge}`);
  assert.deepEqual([data.length, data[0].id, data[0].version], [1, id, 1]);
});

test("400: evidence can be submitted once, must not be empty, and only while the dispute is open", async () => {
  const { id } = await open(await pay());
  const submitEvidence = (body: object) => shop.post(`/disputes/${id}/evidence`, body);
  assert.deepEqual(errorOf(await submitEvidence({})).slice(2), [
    "parameter_missing",
    "uncategorized_text",
  ]);
  assert.deepEqual(errorOf(await submitEvidence({ proof: "x" })).slice(2), [
    "parameter_unknown",
    "proof",
  ]);
  await submitEvidence({ uncategorized_text: "it was delivered" });
  assert.equal(
    errorOf(await submitEvidence({ uncategorized_text: "again" }))[2],
    "dispute_already_submitted",
  );
  await shop.post(`/disputes/${id}/accept`, {});
  assert.equal(errorOf(await submitEvidence({ uncategorized_text: "again" }))[2], "dispute_closed");
  assert.equal(errorOf(await shop.post(`/disputes/${id}/accept`, {}))[2], "dispute_closed");
  const close = await shop.post(`/test_helpers/disputes/${id}/close`, { outcome: "won" });
  assert.equal(errorOf(close)[2], "dispute_closed");
});

test("400: rejects a dispute of a payment without a remaining amount", async () => {
  const held = await pay({ capture_method: "manual" });
  const refunded = await pay();
  await shop.post("/refunds", { charge_id: refunded });
  for (const charge_id of [held, refunded]) {
    const reply = await shop.post("/test_helpers/disputes", { charge_id });
    assert.deepEqual(errorOf(reply).slice(2), ["status_transition_invalid", "charge_id"]);
  }
});

test("201: a dispute is created while another transaction locks other cases", async () => {
  const quiet = await startShop({ workers: false });
  const { database } = quiet.app;
  const request = async () => {
    const { id } = (await quiet.post("/charges", visa)).body;
    return quiet.post("/test_helpers/disputes", { charge_id: id });
  };
  try {
    await request();
    const due = new Date(quiet.clock.now().getTime() - second);
    await database.transaction((tx) => tx`update simulator.cases set notify_at = ${due}`);
    await database.transaction(async (tx) => {
      await tx`select from simulator.cases for update`;
      assert.equal((await request()).status, 201);
    });
  } finally {
    await closeChecked(quiet);
  }
});

test("200: a test helper can make a succeeded refund fail", async () => {
  const charge = await pay();
  const { id } = (await shop.post("/refunds", { charge_id: charge })).body;
  const { status, body } = await shop.post(`/test_helpers/refunds/${id}/fail`, {});
  assert.deepEqual([status, body.status], [200, "failed"]);
  assert.equal((await read(`/charges/${charge}`)).amount_refunded, 0);
  assert.equal(
    errorOf(await shop.post(`/test_helpers/refunds/${id}/fail`, {}))[2],
    "status_transition_invalid",
  );
});

test("200: lists can be filtered by status", async () => {
  const { data } = await read("/disputes?status=lost&limit=100");
  assert.ok(data.length > 2 && data.every(({ status }: { status: string }) => status === "lost"));
});

test("404: rejects an unknown dispute", async () => {
  for (const id of [newId("dp", shop.clock.now()), "dp_1"]) {
    assert.deepEqual(errorOf(await shop.get(`/disputes/${id}`)).slice(2), [
      "resource_missing",
      "id",
    ]);
  }
});
