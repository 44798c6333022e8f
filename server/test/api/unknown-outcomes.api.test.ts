import assert from "node:assert/strict";
import { after, test } from "node:test";
import { uuidOf } from "../../src/core/ids.ts";
import { failChargeUpdates } from "../fail-charge-updates.ts";
import { createPerson } from "../person.ts";
import { acquirerTiming, startShop, until } from "../shop.ts";
import { day, hour, minute, second } from "../test-clock.ts";

const shop = await startShop();
after(() => shop.close());

const charge = (amount: number, params = {}) =>
  shop.post("/charges", { amount, currency: "usd", payment_method_id: "pm_card_visa", ...params });
const read = async (id: string) => (await shop.get(`/charges/${id}`)).body;
const finalCharge = (id: string) =>
  until(
    () => read(id),
    ({ status }) => status !== "processing",
  );
const eventsOf = async (id: string) => (await shop.events(id)).map(({ type }) => type);

/** Returns the charge's payment in the simulator's ledger, which is the acquirer's own record. */
async function atAcquirer(id: string) {
  const [line] = await shop.app.database.read<{ state: string; approved: number }>`
    select state, approved from simulator.authorizations where reference = ${uuidOf(id as `ch_${string}`)}`;
  return line ?? null;
}

test("4001: approved with a lost response: the charge stays in processing until a status inquiry finds the approval", async () => {
  const { status, body } = await charge(9_004_001);
  assert.deepEqual(
    [status, body.status, body.pending_reason, body.amount_captured],
    [201, "processing", "outcome_unknown", 0],
  );
  assert.deepEqual(await eventsOf(body.id), []);
  shop.clock.advance(5 * second);
  const after = await finalCharge(body.id);
  assert.deepEqual(
    [after.status, after.amount_captured, after.pending_reason],
    ["succeeded", 9_004_001, null],
  );
  assert.deepEqual(await eventsOf(body.id), ["payment.succeeded"]);
});

test("4002: no approval and no response: the charge fails only after the acquirer confirms a reversal", async () => {
  const { body } = await charge(9_004_002);
  assert.deepEqual([body.status, body.pending_reason], ["processing", "outcome_unknown"]);
  shop.clock.advance(5 * second);
  const after = await finalCharge(body.id);
  assert.deepEqual([after.status, after.decline_code], ["failed", "processing_error"]);
  assert.equal((await atAcquirer(body.id))?.state, "reversed");
  assert.deepEqual(await eventsOf(body.id), ["payment_failed"]);
});

test("4003: an unreadable response is an unknown outcome, not a decline", async () => {
  const { status, body } = await charge(9_004_003);
  assert.deepEqual(
    [status, body.status, body.pending_reason],
    [201, "processing", "outcome_unknown"],
  );
  shop.clock.advance(5 * second);
  const after = await finalCharge(body.id);
  assert.equal(after.status, "failed");
  assert.equal((await atAcquirer(body.id))?.state, "reversed");
});

test("4004: a slow response within the timeout is accepted", async () => {
  const { status, body } = await charge(9_004_004);
  assert.deepEqual([status, body.status], [201, "succeeded"]);
});

test("4005: pending at the acquirer, then succeeded by the acquirer's notification", async () => {
  const { body } = await charge(9_004_005);
  assert.deepEqual([body.status, body.pending_reason], ["processing", "acquirer_processing"]);
  assert.equal((await finalCharge(body.id)).status, "succeeded");
  assert.deepEqual(await eventsOf(body.id), ["payment.succeeded"]);
});

test("4006: pending at the acquirer, then declined", async () => {
  const { body } = await charge(9_004_006);
  assert.equal(body.status, "processing");
  const after = await finalCharge(body.id);
  assert.deepEqual([after.status, after.decline_code], ["failed", "generic_decline"]);
  assert.deepEqual(await eventsOf(body.id), ["payment_failed"]);
});

for (const [digits, what] of [
  ["5001", "twice"],
  ["5002", "out of order"],
  ["5003", "before its response"],
] as const) {
  test(`${digits}: a notification that arrives ${what} leaves one success, one event and one ledger entry`, async () => {
    const { status, body } = await charge(9_000_000 + Number(digits));
    assert.deepEqual([status, body.status], [201, "succeeded"]);
    shop.clock.advance(minute);
    assert.equal((await read(body.id)).status, "succeeded");
    assert.deepEqual(await eventsOf(body.id), ["payment.succeeded"]);
    const lines = await shop.app.database.read`
      select 1 from ledger_transfers where source_id = ${uuidOf(body.id)}`;
    assert.equal(lines.length, 2);
  });
}

test("a charge that the risk decision declines fails without an inquiry, even if its decline was not recorded", async () => {
  const restore = await failChargeUpdates(shop.app.database);
  const params = { payment_method_id: "pm_card_visa_chargeDeclinedFraudulent" };
  const rejected = await charge(2345, params);
  assert.equal(rejected.status, 500);
  await restore();
  const { id, status } = (await shop.get("/charges?limit=1")).body.data[0];
  assert.equal(status, "processing");
  shop.clock.advance(minute);
  assert.equal((await finalCharge(id)).status, "failed");
  assert.equal(await atAcquirer(id), null);
});

test("an unknown outcome with capture_method manual becomes an authorization", async () => {
  const { body } = await charge(9_004_001, { capture_method: "manual" });
  shop.clock.advance(5 * second);
  const after = await finalCharge(body.id);
  assert.deepEqual([after.status, after.amount_captured], ["authorized", 0]);
});

test("after a 'not found', a charge fails only if a late approval is reversed", async () => {
  shop.simulator.injectFaults({ arriveAfterNotFound: true, on: ["authorize"], times: 1 });
  const { body } = await charge(1999);
  assert.equal(body.pending_reason, "outcome_unknown");
  shop.clock.advance(5 * second);
  const after = await finalCharge(body.id);
  // The status `failed` is correct only if a late approval was reversed and no further approval is possible.
  assert.equal(after.status, "failed");
  assert.equal((await atAcquirer(body.id))?.state, "reversed");
});

test("while the acquirer does not respond, the charge stays in processing, and manual review follows after three days", async () => {
  const { simulator } = shop;
  simulator.injectFaults({ dropBefore: true });
  const { body } = await charge(1999);
  for (const [times, wait] of [5 * second, minute, 10 * minute].entries()) {
    shop.clock.advance(wait);
    // An inquiry increments the counter when it ends.
    await until(
      async () => shop.app.database.read<{ inquiries: number }>`
        select inquiries from charges where id = ${uuidOf(body.id)} and due_at > ${shop.clock.now()}`,
      (rows) => (rows[0]?.inquiries ?? 0) > times,
    );
    const waiting = await read(body.id);
    assert.deepEqual([waiting.status, waiting.pending_reason], ["processing", "outcome_unknown"]);
  }
  await shop.app.database.transaction(
    (tx) => tx`update charges set inquiries = 86 where id = ${uuidOf(body.id)}`,
  );
  shop.clock.advance(3 * day);
  const stuck = await until(
    () => read(body.id),
    ({ pending_reason }) => pending_reason === "manual_review",
  );
  assert.deepEqual([stuck.status, await eventsOf(body.id)], ["processing", []]);
  assert.ok(
    shop.log.some((line) => line.charge === body.id && line.level === 50),
    "an error is logged",
  );
  simulator.injectFaults({});
});

test("an operator can restart inquiries that have ended, and the charge gets the acquirer's outcome", async () => {
  const { simulator } = shop;
  const { database } = shop.app;
  const held = (await charge(1999, { capture_method: "manual" })).body;
  // The acquirer approves the charge and the capture, and both responses are lost.
  simulator.injectFaults({ dropAfter: true });
  const lost = (await charge(1999)).body;
  await shop.post(`/charges/${held.id}/capture`, {});
  await database.transaction(async (tx) => {
    await tx`update charges set inquiries = 86 where id = ${uuidOf(lost.id)}`;
    await tx`update operations set inquiries = 86 where charge_id = ${uuidOf(held.id)}`;
  });
  shop.clock.advance(2 * hour);
  const both = () => Promise.all([read(lost.id), read(held.id)]);
  await until(both, (found) => found.every((one) => one.pending_reason === "manual_review"));

  const signIn = () => createPerson(shop, { operator: true, secondFactor: true });
  const withoutStepUp = await signIn();
  shop.clock.advance(11 * minute);
  const operator = await signIn();
  const restartInquiry = async (person = operator) =>
    (await person.send("POST", "/operator/v1/unknown_outcomes/restart", {})).body;
  const { body: health } = await operator.send("GET", "/operator/v1/health");
  const named = health.unknown_outcomes.map(({ reason }: { reason: string }) => reason);
  const ended = named.filter((reason: string) => reason === "manual_review").length;
  assert(ended >= 2);
  assert.equal((await restartInquiry(withoutStepUp)).error.code, "step_up_required");
  assert.deepEqual(await restartInquiry(), { restarted: ended, has_more: false });
  assert.deepEqual(await restartInquiry(), { restarted: 0, has_more: false });
  assert(
    (await both()).every((one) => one.pending_reason === "outcome_unknown"),
    "the charges stay in processing until an inquiry returns the outcome",
  );
  const entries =
    await database.read`select 1 from audit_log where action = 'service.inquiries_restarted'`;
  assert.equal(entries.length, 1, "the restart writes one audit entry");

  simulator.injectFaults({});
  shop.clock.advance(5 * second);
  await until(both, (found) => found.every((one) => one.status === "succeeded"));
  assert.deepEqual(await eventsOf(lost.id), ["payment.succeeded"]);
});

test("within a minute after an outage, waiting charges are resolved regardless of their schedule", async () => {
  const { simulator } = shop;
  const { database } = shop.app;
  const held = (await charge(1999, { capture_method: "manual" })).body;
  // The response to this charge may end an earlier test's outage and cause a recovery sweep. Sweeps are five minutes
  // apart, so the clock is advanced beyond the next one.
  await shop.timers.turn();
  shop.clock.advance(hour);
  simulator.injectFaults({ dropAfter: true });
  const charges = await Promise.all(Array.from({ length: 20 }, () => charge(1999)));
  await shop.post(`/charges/${held.id}/capture`, {});
  const ids = charges.map(({ body }) => body.id);
  const waits = () => database.read<{ inquiries: number; due_at: Date }>`
    select inquiries, due_at from charges where id = any(${ids.map(uuidOf)}::uuid[]) and status = 'processing'
     union all
    select inquiries, due_at from operations where charge_id = ${uuidOf(held.id)} and status = 'processing'`;
  for (const [times, wait] of [5 * second, 15 * second, 40 * second, 3 * minute].entries()) {
    shop.clock.advance(wait);
    await until(waits, (rows) => rows.every(({ inquiries }) => inquiries > times));
  }
  const before = await waits();
  assert.equal(before.length, 21);
  const soon = shop.clock.now().getTime() + 2 * minute;
  assert(
    before.filter(({ due_at }) => due_at.getTime() > soon).length > 15,
    "most inquiries are due in more than two minutes",
  );

  simulator.injectFaults({});
  shop.clock.advance(20 * second);
  await until(waits, (rows) => rows.length === 0);
  assert.equal((await read(held.id)).status, "succeeded");
});

test("health probes of an unreachable acquirer neither count as inquiries of a charge nor delay them", async () => {
  const { simulator } = shop;
  const { database } = shop.app;
  // Advances the clock far beyond the outages of earlier tests.
  shop.clock.advance(hour);
  simulator.injectFaults({ dropBefore: true });
  const ids = (await Promise.all([1, 2, 3].map(() => charge(1999)))).map(({ body }) => body.id);
  const requested = () => database.read<{ inquiries: number; due_at: Date }>`
    select inquiries, due_at from charges where id = any(${ids.map(uuidOf)}::uuid[]) order by id`;
  for (const [times, wait] of [5 * second, 15 * second, 40 * second].entries()) {
    shop.clock.advance(wait);
    await until(requested, (rows) => rows.every(({ inquiries }) => inquiries > times));
  }
  await until(requested, (rows) =>
    rows.every(({ due_at }) => due_at.getTime() > shop.clock.now().getTime() + minute),
  );
  const before = await requested();
  for (let probes = 0; probes < 2; probes++) {
    shop.clock.advance(16 * second);
    await shop.timers.turn();
  }
  assert.deepEqual(await requested(), before);
  simulator.injectFaults({});
  shop.clock.advance(16 * second);
  await Promise.all(ids.map(finalCharge));
});

test("a lost, duplicate or unreadable response leads to one payment with the acquirer's outcome", async () => {
  const { simulator } = shop;
  for (const faults of [
    { dropAfter: true },
    { garbage: true },
    { respondTwice: true },
    { delayMs: 2 * acquirerTiming.responseTimeoutMs },
  ]) {
    simulator.injectFaults({ ...faults, on: ["authorize"], times: 1 });
    const { status, body } = await charge(1999);
    assert.equal(status, 201, JSON.stringify(faults));
    shop.clock.advance(5 * second);
    const after = await finalCharge(body.id);
    assert.equal(after.status, "succeeded", JSON.stringify(faults));
    assert.deepEqual(await eventsOf(body.id), ["payment.succeeded"]);
    assert.equal((await atAcquirer(body.id))?.state, "approved");
  }
});

test("a checkout session stays in processing with its charge, and an inquiry completes both", async () => {
  const created = (await shop.post("/checkout_sessions", { amount: 9_004_001, currency: "usd" }))
    .body;
  const headers = {
    authorization: `Bearer ${new URL(created.embed_url).hash.slice(1)}`,
    "idempotency-key": "one",
  };
  const path = `/embed/api/checkout_sessions/${created.session.id}`;
  const body = { payment_method_id: "pm_card_visa" };
  const waiting = await shop.send("POST", `${path}/confirm`, { headers, body });
  assert.equal(waiting.body.status, "processing");
  shop.clock.advance(5 * second);
  const done = await until(
    () => shop.send("GET", path, { headers }),
    (reply) => reply.body.status !== "processing",
  );
  assert.deepEqual([done.body.status, done.body.payment_status], ["complete", "paid"]);
});
