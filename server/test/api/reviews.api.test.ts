import assert from "node:assert/strict";
import { after, test } from "node:test";
import { uuidOf } from "../../src/core/ids.ts";
import { createCardholder } from "../cardholder.ts";
import { createCheckout } from "../checkout.ts";
import { queueBehind } from "../queue-behind.ts";
import { errorOf, startShop } from "../shop.ts";

const shop = await startShop({ workers: false, databasePool: 8 });
after(() => shop.close());

const risky = { amount: 1999, currency: "usd", payment_method_id: "pm_card_riskLevelElevated" };
const read = async (path: string) => (await shop.get(path)).body;
const approve = (id: string) => shop.post(`/decisions/${id}/approve`, {});
const decline = (id: string) => shop.post(`/decisions/${id}/decline`, {});
const queue = async () =>
  (await read("/decisions?review=open&limit=100")).data.map(({ id }: { id: string }) => id);
const transition = "status_transition_invalid";

test("201: a charge of elevated risk is authorized and held for review, and emits an event", async () => {
  const { status, body } = await shop.post("/charges", risky);
  assert.deepEqual([status, body.status, body.outcome.decision], [201, "authorized", "review"]);
  const decision = await read(`/decisions/${body.decision_id}`);
  assert.deepEqual(
    [decision.outcome, decision.review, decision.charge_id],
    ["review", "open", body.id],
  );
  assert.ok((await queue()).includes(decision.id));
  const events = await shop.events();
  const [opened] = events.filter(({ data }) => data.object.id === decision.id);
  assert.equal(opened.type, "decision.review_opened");
  assert.deepEqual({ ...opened.data.object }, decision);
  assert.deepEqual(
    (await shop.events(body.id)).map(({ type }) => type),
    ["payment.authorized"],
  );
});

test("approve: 200 captures the charge once, even if the request is repeated", async () => {
  const { body } = await shop.post("/charges", risky);
  const { status, body: decision } = await approve(body.decision_id);
  assert.deepEqual([status, decision.review], [200, "approved"]);
  const charge = await read(`/charges/${body.id}`);
  assert.deepEqual([charge.status, charge.amount_captured], ["succeeded", 1999]);
  assert.ok(!(await queue()).includes(decision.id));
  assert.equal((await approve(body.decision_id)).status, 200);
  assert.deepEqual(errorOf(await decline(body.decision_id)).slice(2), [transition, "id"]);
  const types = (await shop.events(body.id)).map(({ type }) => type).toSorted();
  assert.deepEqual(types, ["payment.authorized", "payment.captured", "payment.succeeded"]);
});

test("approve: 200 releases a manually captured charge to the merchant, who then captures it", async () => {
  const { body } = await shop.post("/charges", { ...risky, capture_method: "manual" });
  assert.equal((await approve(body.decision_id)).body.review, "approved");
  assert.equal((await read(`/charges/${body.id}`)).status, "authorized");
  assert.equal((await shop.post(`/charges/${body.id}/capture`, {})).body.status, "succeeded");
});

test("200: the charges in review are listed until their review is closed", async () => {
  const { key } = await shop.createMerchant();
  const as = { as: key };
  const open = (await shop.post("/charges", risky, as)).body;
  const approved = (await shop.post("/charges", { ...risky, capture_method: "manual" }, as)).body;
  await shop.post(`/decisions/${approved.decision_id}/approve`, {}, as);
  const listed = async (value: boolean) => {
    const { body } = await shop.get(`/charges?in_review=${value}`, as);
    return body.data.map(({ id }: { id: string }) => id);
  };
  assert.deepEqual(await listed(true), [open.id]);
  assert.deepEqual(await listed(false), [approved.id]);
});

test("decline: 200 cancels the authorization", async () => {
  const { body } = await shop.post("/charges", risky);
  assert.equal((await decline(body.decision_id)).body.review, "declined");
  const charge = await read(`/charges/${body.id}`);
  assert.deepEqual([charge.status, charge.amount_captured], ["canceled", 0]);
  assert.deepEqual(errorOf(await approve(body.decision_id)).slice(2), [transition, "id"]);
});

test("200: capturing or canceling the charge manually also closes its review", async () => {
  const captured = (await shop.post("/charges", risky)).body;
  await shop.post(`/charges/${captured.id}/capture`, {});
  const canceled = (await shop.post("/charges", risky)).body;
  await shop.post(`/charges/${canceled.id}/cancel`, {});
  const of = async ({ decision_id }: { decision_id: string }) =>
    (await read(`/decisions/${decision_id}`)).review;
  assert.deepEqual([await of(captured), await of(canceled)], ["approved", "declined"]);
});

test("200: a session is complete for the customer while its payment is in review", async () => {
  const browser = await createCheckout(shop);
  const { body } = await browser.pay("4000000000009235");
  assert.deepEqual([body.status, body.payment_status], ["complete", "authorized"]);
  const { charge_id } = await read(`/checkout_sessions/${browser.session}`);
  const { decision_id } = await read(`/charges/${charge_id}`);
  await approve(decision_id);
  const session = await read(`/checkout_sessions/${browser.session}`);
  assert.equal((await read(`/charges/${charge_id}`)).status, "succeeded");
  assert.equal(session.payment_status, "paid");
});

test("201: a requested decision waits for its review and can then be used by one charge", async () => {
  const requested = (await shop.post("/decisions", risky)).body;
  assert.deepEqual([requested.outcome, requested.review], ["review", "open"]);
  assert.deepEqual(
    (await shop.events(requested.id)).map(({ type }) => type),
    ["decision.review_opened"],
  );
  const charge = { ...risky, decision_id: requested.id };
  const pending = errorOf(await shop.post("/charges", charge));
  assert.deepEqual(pending.slice(2), ["decision_pending_review", "decision_id"]);
  assert.equal((await approve(requested.id)).body.review, "approved");
  assert.equal((await shop.post("/charges", charge)).body.status, "succeeded");
});

test("402: a decision whose review was declined declines the charge", async () => {
  const requested = (await shop.post("/decisions", risky)).body;
  await decline(requested.id);
  const { status, body } = await shop.post("/charges", { ...risky, decision_id: requested.id });
  assert.deepEqual([status, body.error.code], [402, "blocked_by_decision"]);
});

test("400: rejects a review of an object that is not in review", async () => {
  const visa = { ...risky, payment_method_id: "pm_card_visa" };
  const requested = (await shop.post("/decisions", visa)).body.id;
  const created = (await shop.post("/charges", visa)).body.decision_id;
  for (const id of [requested, created]) {
    assert.deepEqual(errorOf(await approve(id)).slice(2), [transition, "id"]);
  }
});

test("404: rejects an unknown decision", async () => {
  const missing = [404, "invalid_request_error", "resource_missing", "id"];
  assert.deepEqual(errorOf(await approve("dec_01jb0000000000000000000000")), missing);
});

test("200: a payment with 3-D Secure and a review is authenticated, then authorized, then captured", async () => {
  const { key: as } = await shop.createMerchant();
  await shop.post("/rules", { expression: "amount > 1000", outcome: "review" }, { as });
  const browser = await createCheckout(shop, {}, as);
  const { body } = await browser.pay("4000000032200000");
  assert.equal(body.status, "requires_action");
  const read = async (path: string) => (await shop.get(path, { as })).body;
  const { charge_id } = await read(`/checkout_sessions/${browser.session}`);
  const { next_action, decision_id } = await read(`/charges/${charge_id}`);
  assert.equal(await createCardholder(shop, next_action.url).runUntilAres(), "done");
  const charge = await read(`/charges/${charge_id}`);
  assert.deepEqual(
    [charge.status, charge.payment_method_details.card.three_d_secure.result],
    ["authorized", "authenticated"],
  );
  const decision = await read(`/decisions/${decision_id}`);
  assert.deepEqual([decision.review, decision.three_d_secure.required], ["open", true]);
  await shop.post(`/decisions/${decision_id}/approve`, {}, { as });
  assert.equal((await read(`/charges/${charge_id}`)).status, "succeeded");
});

test("decline: 200 even if the request is repeated while the cancel is pending, and an approval is then rejected", async () => {
  const { body } = await shop.post("/charges", risky);
  shop.simulator.injectFaults({ reset: true, on: ["void"], times: 1 }, shop.merchant.account);
  assert.equal((await decline(body.decision_id)).status, 200);
  assert.equal((await read(`/charges/${body.id}`)).pending_reason, "outcome_unknown");
  const again = await Promise.all([decline(body.decision_id), decline(body.decision_id)]);
  assert.deepEqual(
    again.map(({ status, body }) => [status, body.review]),
    [
      [200, "declined"],
      [200, "declined"],
    ],
  );
  assert.equal(errorOf(await approve(body.decision_id))[2], "charge_outcome_pending");
});

for (const action of ["approve", "decline"]) {
  test(`${action}: 200 with the stored response for a repeated Idempotency-Key, and 422 for a used one`, async () => {
    const used = `used before ${action}`;
    await shop.post("/customers", {}, { key: used });
    const { body: charge } = await shop.post("/charges", risky);
    const path = `/decisions/${charge.decision_id}/${action}`;
    const expected = [422, "idempotency_error", "idempotency_key_in_use"];
    assert.deepEqual(errorOf(await shop.post(path, {}, { key: used })), expected);
    assert.equal((await read(`/charges/${charge.id}`)).status, "authorized");
    assert.equal((await read(`/decisions/${charge.decision_id}`)).review, "open");

    const first = await shop.post(path, {}, { key: action });
    const again = await shop.post(path, {}, { key: action });
    assert.deepEqual([first.status, again.status, again.text], [200, 200, first.text]);
    assert.deepEqual(
      [first, again].map(({ headers }) => headers.get("idempotent-replayed")),
      [null, "true"],
    );
    assert.deepEqual(errorOf(await shop.post("/customers", {}, { key: action })), expected);
  });
}

test("approve: 200 even if the acquirer rejects the capture, and the charge stays authorized", async () => {
  const { key } = await shop.createMerchant();
  const as = { as: key };
  await shop.post("/rules", { expression: "amount > 9000000", outcome: "review" }, as);
  const visa = { ...risky, payment_method_id: "pm_card_visa", amount: 9_006_001 };
  const { body } = await shop.post("/charges", visa, as);
  const approved = await shop.post(`/decisions/${body.decision_id}/approve`, {}, as);
  assert.deepEqual([approved.status, approved.body.review], [200, "approved"]);
  const charge = (await shop.get(`/charges/${body.id}`, as)).body;
  assert.deepEqual([charge.status, charge.pending_reason], ["authorized", null]);
});

test("approve: 400 while the charge is being canceled manually, and the review stays open", async () => {
  const { body } = await shop.post("/charges", risky);
  shop.simulator.injectFaults({ reset: true, on: ["void"], times: 1 }, shop.merchant.account);
  await shop.post(`/charges/${body.id}/cancel`, {});
  assert.equal(errorOf(await approve(body.decision_id))[2], "charge_outcome_pending");
  assert.equal((await read(`/decisions/${body.decision_id}`)).review, "open");
});

test("decline: 200 for every concurrent caller", async () => {
  const { body } = await shop.post("/charges", risky);
  const replies = await Promise.all(Array.from({ length: 24 }, () => decline(body.decision_id)));
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
  assert.equal((await read(`/charges/${body.id}`)).status, "canceled");
});

for (const [first, second, status, review] of [
  ["decline", "capture", "canceled", "declined"],
  ["capture", "decline", "succeeded", "approved"],
  ["approve", "cancel", "succeeded", "approved"],
  ["cancel", "approve", "canceled", "declined"],
] as const) {
  test(`${first}: 200, and a concurrent ${second} that is second is rejected`, async () => {
    const { body } = await shop.post("/charges", risky);
    const requests = {
      approve: () => approve(body.decision_id),
      decline: () => decline(body.decision_id),
      capture: () => shop.post(`/charges/${body.id}/capture`, {}),
      cancel: () => shop.post(`/charges/${body.id}/cancel`, {}),
    };
    const replies = await queueBehind(shop.app.database, {
      lock: (tx) => tx`select from charges where id = ${uuidOf(body.id)} for update`,
      requests: [requests[first], requests[second]],
    });
    assert.deepEqual(
      replies.map((reply) => reply.status),
      [200, 400],
    );
    assert.equal((await read(`/charges/${body.id}`)).status, status);
    assert.equal((await read(`/decisions/${body.decision_id}`)).review, review);
  });
}

test("approve: if the capture cannot be recorded, the review stays open", async () => {
  const { database } = shop.app;
  const { body } = await shop.post("/charges", risky);
  await database.transaction(async (tx) => {
    await tx`
      create function reject_operation() returns trigger language plpgsql as $$
      begin
        raise exception 'the operation is rejected';
      end $$`;
    await tx`
      create trigger reject_operation before insert on operations
        for each row execute function reject_operation()`;
  });
  const rejected = await approve(body.decision_id);
  await database.transaction((tx) => tx`drop function reject_operation cascade`);
  assert.equal(rejected.status, 500);
  assert.equal((await read(`/decisions/${body.decision_id}`)).review, "open");
  assert.equal((await approve(body.decision_id)).status, 200);
  assert.equal((await read(`/charges/${body.id}`)).status, "succeeded");
});
