import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type ChargeId, newId, uuidOf } from "../../src/core/ids.ts";
import { operationsAtAcquirer } from "../acquirer-operations.ts";
import { createCardholder, rightCode, submitToIssuer } from "../cardholder.ts";
import { startChallenge } from "../challenge.ts";
import type { Reply } from "../client.ts";
import { closeChecked } from "../close-checked.ts";
import { countLockWaits } from "../queue-behind.ts";
import { errorOf, startShop, until } from "../shop.ts";
import { second } from "../test-clock.ts";

const shop = await startShop();
after(() => closeChecked(shop));

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
const authorize = async () =>
  (await shop.post("/charges", { ...visa, capture_method: "manual" })).body.id as ChargeId;
const cancel = (id: string, sent = {}) => shop.post(`/charges/${id}/cancel`, {}, sent);
const read = async (id: string) => (await shop.get(`/charges/${id}`)).body;
const eventsOf = async (id: string) => (await shop.events(id)).map(({ type }) => type);
const released = [{ kind: "void", state: "done", amount: 1999 }];

test("200: a cancel releases the authorization at the acquirer and moves no money", async () => {
  const id = await authorize();
  const { status, body } = await cancel(id);
  assert.deepEqual([status, body.status, body.amount_captured], [200, "canceled", 0]);
  assert.deepEqual(await read(id), body);
  assert.deepEqual(await eventsOf(id), ["payment.authorized", "payment.canceled"]);
  assert.deepEqual(await operationsAtAcquirer(shop, id), released);
});

test("200: a repeated key returns the same response, and 64 concurrent cancels release the authorization once", async () => {
  const id = await authorize();
  const replies = await Promise.all(
    Array.from({ length: 64 }, () => cancel(id, { key: "cancel once" })),
  );
  assert.ok(replies.every(({ status, text }) => status === 200 && text === replies[0]?.text));
  assert.deepEqual(await operationsAtAcquirer(shop, id), released);
});

for (const [what, faults] of [
  ["the request is lost", { dropBefore: true }],
  ["the response is lost", { dropAfter: true }],
  ["the response is unreadable", { garbage: true }],
] as const) {
  test(`200: ${what}: the charge stays authorized until an inquiry confirms the cancellation`, async () => {
    const id = await authorize();
    shop.simulator.injectFaults({ ...faults, on: ["void"], times: 1 });
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

test("200: while the acquirer does not respond, the charge stays authorized, and manual review follows", async () => {
  const id = await authorize();
  shop.simulator.injectFaults({ dropBefore: true, on: ["void", "inquire"] });
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
  shop.simulator.injectFaults({});
});

test("400: rejects a cancel of a charge that is not authorized and names both states", async () => {
  const { id } = (await shop.post("/charges", visa)).body;
  const reply = await cancel(id);
  assert.deepEqual(errorOf(reply), [
    400,
    "invalid_request_error",
    "status_transition_invalid",
    "id",
  ]);
  assert.match(reply.body.error.message, /'succeeded'.*'authorized' or 'requires_action'/);
  const twice = await authorize();
  await cancel(twice);
  assert.equal(errorOf(await cancel(twice))[2], "status_transition_invalid");
});

test("400: a cancel accepts no parameters", async () => {
  const reply = await shop.post(`/charges/${await authorize()}/cancel`, { reason: "why" });
  assert.deepEqual(errorOf(reply).slice(2), ["parameter_unknown", "reason"]);
});

test("404: rejects a cancel of an unknown charge", async () => {
  const reply = await cancel(newId("ch", shop.clock.now()));
  assert.deepEqual(errorOf(reply), [404, "invalid_request_error", "resource_missing", "id"]);
});

/** A card whose issuer always requires a challenge. */
const secured = {
  ...visa,
  payment_method_id: "pm_card_threeDSecure2Required",
  client_reference_id: "order 7",
  return_url: "https://shop.example/{CLIENT_REFERENCE_ID}?charge={CHARGE_ID}",
};
const createChallengedCharge = async (params = {}) => {
  const { body } = await shop.post("/charges", { ...secured, ...params });
  assert.equal(body.status, "requires_action");
  return { id: body.id as ChargeId, cardholder: createCardholder(shop, body.next_action.url) };
};
const authorizationsOf = async (id: ChargeId) =>
  shop.app.database.read`select 1 from simulator.authorizations where reference = ${uuidOf(id)}`;

for (const capture_method of ["automatic", "manual"]) {
  test(`200: a charge that waits for authentication is canceled without a request to the acquirer (${capture_method})`, async () => {
    const { id, cardholder } = await createChallengedCharge({ capture_method });
    const { status, body } = await cancel(id, { key: `cancel ${id}` });
    assert.deepEqual(
      [status, body.status, body.next_action, body.outcome.network_status],
      [200, "canceled", null, "not_sent_to_network"],
    );
    assert.deepEqual(await read(id), body);
    assert.equal((await cancel(id, { key: `cancel ${id}` })).text, JSON.stringify(body));
    assert.deepEqual(await eventsOf(id), ["payment.requires_action", "payment.canceled"]);
    const [, event] = await shop.events(id);
    assert.equal(event.request.idempotency_key, `cancel ${id}`);
    assert.deepEqual(await authorizationsOf(id), []);
    const { body: step } = await cardholder.step();
    assert.deepEqual(
      [step.step, step.return_url],
      ["done", `https://shop.example/order%207?charge=${id}`],
    );
  });
}

test("200: an issuer approval after a cancel has no effect", async () => {
  const { id, cardholder } = await createChallengedCharge();
  assert.equal(await cardholder.runUntilAres(), "challenge");
  const page = await cardholder.openIssuerPage();
  assert.equal((await cancel(id)).body.status, "canceled");
  await submitToIssuer(shop, page, rightCode);
  assert.equal((await read(id)).status, "canceled");
  assert.deepEqual(await authorizationsOf(id), []);
  assert.deepEqual(await eventsOf(id), ["payment.requires_action", "payment.canceled"]);
});

test("if a cancel and the end of the authentication are concurrent, only one takes effect, and a canceled charge is never authorized", async () => {
  for (let round = 0; round < 24; round++) {
    const { id, cardholder } = await createChallengedCharge();
    assert.equal(await cardholder.runUntilAres(), "challenge");
    const page = await cardholder.openIssuerPage();
    const [canceled] = await Promise.all([
      new Promise((resolve) => setTimeout(resolve, round)).then(() => cancel(id)),
      submitToIssuer(shop, page, rightCode),
    ]);
    const after = await until(
      () => read(id),
      ({ status }) => status !== "processing" && status !== "requires_action",
    );
    const authorizations = await authorizationsOf(id);
    if (canceled.status === 200) {
      assert.equal(after.status, "canceled");
      assert.equal(authorizations.length, 0, "a canceled charge was authorized");
    } else {
      assert.equal(errorOf(canceled)[2], "status_transition_invalid");
      assert.equal(after.status, "succeeded");
      assert.equal(authorizations.length, 1);
    }
    const events = await eventsOf(id);
    assert.equal(events.length, 2, events.join());
  }
});

for (const first of ["the cancel", "the end of the authentication"] as const) {
  test(`if ${first} comes first, only ${first} takes effect`, async () => {
    const { id, cardholder } = await createChallengedCharge();
    assert.equal(await cardholder.runUntilAres(), "challenge");
    const page = await cardholder.openIssuerPage();
    const start = {
      "the cancel": () => cancel(id),
      "the end of the authentication": () => submitToIssuer(shop, page, rightCode),
    };
    const other =
      first === "the cancel" ? "the end of the authentication" : ("the cancel" as const);
    // Both requests read the charge in `requires_action` before either of them can change it. Postgres grants a row
    // lock in the order of the requests.
    const [one, two] = await shop.app.database.transaction(async (tx) => {
      await tx`select 1 from charges where id = ${uuidOf(id)} for update`;
      const started = [start[first]()];
      await until(countStatementsWaitingForCharges, (count) => count === 1);
      started.push(start[other]());
      await until(countStatementsWaitingForCharges, (count) => count === 2);
      return started;
    });
    const canceled = (await (first === "the cancel" ? one : two)) as Reply;
    await Promise.all([one, two]);
    const after = await until(
      () => read(id),
      ({ status }) => status !== "processing" && status !== "requires_action",
    );
    if (first === "the cancel") {
      assert.deepEqual([canceled.status, after.status], [200, "canceled"]);
      assert.deepEqual(await authorizationsOf(id), []);
      assert.deepEqual(await eventsOf(id), ["payment.requires_action", "payment.canceled"]);
    } else {
      assert.deepEqual(errorOf(canceled).slice(2), ["status_transition_invalid", "id"]);
      assert.equal(after.status, "succeeded");
      assert.equal((await authorizationsOf(id)).length, 1);
      assert.deepEqual(await eventsOf(id), ["payment.requires_action", "payment.succeeded"]);
    }
  });
}

/** Returns the number of statements on charges that wait for a lock. */
const countStatementsWaitingForCharges = () => countLockWaits(shop.app.database, "charges");

test("200: canceling the charge of a session cancels the session, which then cannot expire", async () => {
  const { browser, chargeId } = await startChallenge(shop, "4000002760003184");
  assert.equal((await cancel(chargeId)).body.status, "canceled");
  const session = (await shop.get(`/checkout_sessions/${browser.session}`)).body;
  assert.deepEqual([session.status, session.payment_status], ["canceled", "unpaid"]);
  assert.equal((await browser.readSession()).body.status, "canceled");
  const expired = await shop.post(`/checkout_sessions/${browser.session}/expire`, {});
  assert.deepEqual(errorOf(expired).slice(2), ["session_canceled", "id"]);
});

test("a charge without authentication fails at next_action.expires_at", async () => {
  const { id } = await createChallengedCharge();
  const { created, next_action } = await read(id);
  assert.equal(next_action.expires_at, created + 15 * 60);
  shop.clock.advance(15 * 60 * second);
  const failed = await until(
    () => read(id),
    ({ status }) => status !== "requires_action",
  );
  assert.deepEqual([failed.status, failed.failure_code], ["failed", "authentication_timed_out"]);
});
