import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type ChargeId, newId } from "../../src/primitives/ids.ts";
import { operationsAtAcquirer } from "../acquirer-books.ts";
import { closeChecked } from "../books.ts";
import { openShop, until, wrong } from "../shop.ts";
import { second } from "../test-clock.ts";

const shop = await openShop();
after(() => closeChecked(shop));

const held = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
const hold = async () =>
  (await shop.post("/charges", { ...held, capture_method: "manual" })).body.id as ChargeId;
const cancel = (id: string, sent = {}) => shop.post(`/charges/${id}/cancel`, {}, sent);
const read = async (id: string) => (await shop.get(`/charges/${id}`)).body;
const eventsOf = async (id: string) => (await shop.events(id)).map(({ type }) => type);
const released = [{ kind: "void", state: "done", amount: 1999 }];

test("200: what is held is let go, at the acquirer as well, and no money moves", async () => {
  const id = await hold();
  const { status, body } = await cancel(id);
  assert.deepEqual([status, body.status, body.amount_captured], [200, "canceled", 0]);
  assert.deepEqual(await read(id), body);
  assert.deepEqual(await eventsOf(id), ["payment.authorized", "payment.canceled"]);
  assert.deepEqual(await operationsAtAcquirer(shop, id), released);
});

test("200: the same key answers the same, and 64 at once let go once", async () => {
  const id = await hold();
  const replies = await Promise.all(
    Array.from({ length: 64 }, () => cancel(id, { key: "cancel once" })),
  );
  assert.ok(replies.every(({ status, text }) => status === 200 && text === replies[0]?.text));
  assert.deepEqual(await operationsAtAcquirer(shop, id), released);
});

for (const [what, faults] of [
  ["the request is lost", { dropBefore: true }],
  ["the answer is lost", { dropAfter: true }],
  ["the answer cannot be read", { garbage: true }],
] as const) {
  test(`200: ${what}: the charge waits, and is canceled by an inquiry`, async () => {
    const id = await hold();
    shop.app.simulator.misbehave({ ...faults, on: ["void"], times: 1 });
    const { status, body } = await cancel(id);
    assert.deepEqual(
      [status, body.status, body.pending_reason],
      [200, "authorized", "outcome_unknown"],
    );
    shop.clock.advance(5 * second);
    const after = await until(
      () => read(id),
      (charge) => charge.status !== "authorized",
    );
    assert.equal(after.status, "canceled");
    assert.deepEqual(await operationsAtAcquirer(shop, id), released);
  });
}

test("200: while the acquirer is silent about everything it stays held, and a person looks in the end", async () => {
  const id = await hold();
  shop.app.simulator.misbehave({ dropBefore: true, on: ["void", "inquire"] });
  await cancel(id);
  await shop.app.database.transaction(
    (tx) => tx`update operations set inquiries = 86 where status = 'processing'`,
  );
  shop.clock.advance(5 * second);
  const stuck = await until(
    () => read(id),
    ({ pending_reason }) => pending_reason === "manual_review",
  );
  assert.equal(stuck.status, "authorized");
  shop.app.simulator.misbehave({});
});

test("400: only what is authorised can be canceled, and the message names both states", async () => {
  const { id } = (await shop.post("/charges", held)).body;
  const reply = await cancel(id);
  assert.deepEqual(wrong(reply), [400, "invalid_request_error", "status_transition_invalid", "id"]);
  assert.match(reply.body.error.message, /'succeeded'.*'authorized'/);
  const twice = await hold();
  await cancel(twice);
  assert.equal(wrong(await cancel(twice))[2], "status_transition_invalid");
});

test("400: there is nothing to say about it", async () => {
  const reply = await shop.post(`/charges/${await hold()}/cancel`, { reason: "why" });
  assert.deepEqual(wrong(reply).slice(2), ["parameter_unknown", "reason"]);
});

test("404: a charge that is not there cannot be canceled", async () => {
  const reply = await cancel(newId("ch", shop.clock.now()));
  assert.deepEqual(wrong(reply), [404, "invalid_request_error", "resource_missing", "id"]);
});
