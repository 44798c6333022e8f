import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import path from "node:path";
import { after, afterEach, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { AuthorizeRequest, ChargeNotification } from "@florin/server/acquiring/processor.ts";
import { systemClock } from "@florin/server/core/clock.ts";
import { type ChargeId, newId, parseId, uuidOf } from "@florin/server/core/ids.ts";
import { connectDatabase } from "@florin/server/platform/database/database.ts";
import { createTestDatabase } from "@florin/server/test/database.ts";
import { CardNumber } from "@florin/server/vault/card-number.ts";
import { createSimulator, defaultTiming } from "./simulator.ts";

const testDatabase = await createTestDatabase();
const database = connectDatabase({ url: testDatabase.url, poolSize: 4, onIdleError: () => {} });
const account = newId("acct", new Date());
const notifications: ChargeNotification[] = [];
const timing = {
  ...defaultTiming,
  responseTimeoutMs: 700,
  slowResponseMs: 50,
  resolveAfterMs: 100,
};
const createTestSimulator = () =>
  createSimulator({
    database,
    clock: systemClock,
    timing,
    onNotification: (notification) => void notifications.push(notification),
  });
const simulator = createTestSimulator();
afterEach(() => simulator.injectFaults({}));
after(async () => {
  await simulator.close();
  await database.close();
  await testDatabase.drop();
});

function request(): AuthorizeRequest {
  return {
    account,
    reference: newId("ch", new Date()),
    price: { amountMinor: 1999, currency: "usd" },
    card: {
      number: new CardNumber("4242424242424242"),
      expMonth: 12,
      expYear: new Date().getUTCFullYear() + 3,
      securityCode: null,
      postalCode: null,
      addressLine1: null,
    },
    capture: true,
    authentication: null,
  };
}

function assertUnknown(outcome: { readonly kind: string; readonly why?: string }, why: string) {
  assert.deepEqual([outcome.kind, outcome.why], ["unknown", why]);
}

const notificationsFor = (reference: ChargeId) =>
  notifications
    .filter((notification) => notification.reference === reference)
    .map(({ response }) => response.kind);

/** Waits for a notification. If none arrives, the test times out. */
async function waitForNotification(reference: ChargeId): Promise<void> {
  while (notificationsFor(reference).length === 0) await sleep(5);
}

async function stateOf(reference: ChargeId): Promise<string | null> {
  const [row] = await database.read<{ state: string }>`
    select state from simulator.authorizations where reference = ${uuidOf(reference)}`;
  return row?.state ?? null;
}

test("a dropped request has an unknown outcome and moves no money", async () => {
  simulator.injectFaults({ dropBefore: true, on: ["authorize"] });
  const charge = request();
  assertUnknown(await simulator.authorize(charge), "timeout");
  assert.equal((await simulator.inquire(charge)).kind, "not_found");
});

test("a dropped response has an unknown outcome and the money moved", async () => {
  simulator.injectFaults({ dropAfter: true, on: ["authorize"] });
  const charge = request();
  assertUnknown(await simulator.authorize(charge), "timeout");
  assert.equal((await simulator.inquire(charge)).kind, "approved");
});

test("an unreadable response has an unknown outcome and the money moved", async () => {
  simulator.injectFaults({ garbage: true, on: ["authorize"] });
  const charge = request();
  assertUnknown(await simulator.authorize(charge), "invalid_response");
  assert.equal((await simulator.inquire(charge)).kind, "approved");
});

test("a response after the deadline arrives as a notification", async () => {
  simulator.injectFaults({ delayMs: timing.responseTimeoutMs + 200 });
  const charge = request();
  assertUnknown(await simulator.authorize(charge), "timeout");
  assert.deepEqual(notificationsFor(charge.reference), []);
  await waitForNotification(charge.reference);
  assert.deepEqual(notificationsFor(charge.reference), ["approved"]);
});

test("a response can arrive twice, once directly and once as a notification", async () => {
  simulator.injectFaults({ respondTwice: true });
  const charge = request();
  assert.equal((await simulator.authorize(charge)).kind, "approved");
  assert.deepEqual(notificationsFor(charge.reference), ["approved"]);
});

test("a delayed request is approved after an inquiry returned not found", async () => {
  simulator.injectFaults({ arriveAfterNotFound: true, on: ["authorize"] });
  const charge = request();
  assertUnknown(await simulator.authorize(charge), "timeout");
  assert.equal(await stateOf(charge.reference), null);
  assert.equal((await simulator.inquire(charge)).kind, "not_found");
  await waitForNotification(charge.reference);
  assert.equal(await stateOf(charge.reference), "approved");
  assert.deepEqual(notificationsFor(charge.reference), ["approved"]);
});

test("a delayed request that arrives after a reversal is declined", async () => {
  simulator.injectFaults({ arriveAfterNotFound: true, on: ["authorize"] });
  const charge = request();
  assertUnknown(await simulator.authorize(charge), "timeout");
  assert.deepEqual(await simulator.reverse(charge), { kind: "reversed" });
  await waitForNotification(charge.reference);
  assert.equal(await stateOf(charge.reference), "reversed");
  assert.deepEqual(notificationsFor(charge.reference), ["declined"]);
});

test("inquiries and reversals fail the same way, and recover after the configured number of failures", async () => {
  const charge = request();
  await simulator.authorize(charge);
  simulator.injectFaults({ on: ["inquire", "reverse"], times: 2, dropAfter: true });
  assertUnknown(await simulator.inquire(charge), "timeout");
  assertUnknown(await simulator.reverse(charge), "timeout");
  assert.equal(await stateOf(charge.reference), "reversed");
  assert.equal((await simulator.inquire(charge)).kind, "declined");
});

test("closing the simulator ends pending requests", async () => {
  const closing = createTestSimulator();
  closing.injectFaults({ dropBefore: true });
  const response = closing.authorize(request());
  await closing.close();
  assertUnknown(await response, "connection_lost");
});

test("after Postgres closes the connections, the next requests are approved once each", async () => {
  const before = request();
  await simulator.authorize(before);
  await database.read`
    select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'florin batch' and datname = current_database()`;
  const requests = Array.from({ length: 50 }, request);
  const responses = await Promise.all(requests.map((charge) => simulator.authorize(charge)));
  for (const [index, response] of responses.entries()) {
    // A request that is interrupted during a batch has an unknown outcome. "approved" implies a stored row.
    const { reference } = requests[index] as AuthorizeRequest;
    if (response.kind === "approved") assert.equal(await stateOf(reference), "approved");
    else assert.equal(response.kind, "unknown");
    assert.equal((await simulator.authorize(requests[index] as AuthorizeRequest)).kind, "approved");
  }
});

test("an approval that a killed process received is in the simulator's ledger exactly once", async () => {
  const child = spawn(process.execPath, [
    path.join(import.meta.dirname, "authorize-in-loop.fixture.ts"),
    testDatabase.url,
    account,
  ]);
  let text = "";
  let errors = "";
  child.stdout.on("data", (chunk) => {
    text += chunk;
    if (text.length > 20_000) child.kill("SIGKILL");
  });
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  await new Promise((ended) => child.once("exit", ended));
  const approvals = text.split("\n").slice(0, -1);
  assert.ok(approvals.length > 300, errors);
  for (const line of approvals) {
    const reference = parseId("ch", line);
    assert.ok(reference, line);
    assert.equal(await stateOf(reference), "approved");
    // This process returns the same response and does not approve the request again.
    assert.equal((await simulator.authorize({ ...request(), reference })).kind, "approved");
  }
  const [count] = await database.read<{ lines: number; references: number }>`
    select count(*) as lines, count(distinct reference) as references from simulator.authorizations`;
  assert.equal(count?.lines, count?.references);
});

test("a fault can apply to one merchant only", async () => {
  simulator.injectFaults({ reset: true, on: ["authorize"] }, account);
  assertUnknown(await simulator.authorize(request()), "connection_lost");
  const other = { ...request(), account: newId("acct", new Date()) };
  assert.equal((await simulator.authorize(other)).kind, "approved");
  simulator.injectFaults({}, account);
  assert.equal((await simulator.authorize(request())).kind, "approved");
});

test("a response about another payment has an unknown outcome and the money moved", async () => {
  simulator.injectFaults({ otherReference: true, on: ["authorize"] });
  const charge = request();
  assertUnknown(await simulator.authorize(charge), "invalid_response");
  assert.deepEqual(notificationsFor(charge.reference), []);
  assert.equal((await simulator.inquire(charge)).kind, "approved");
});

test("a hanging request is executed after the deadline, without a notification", async () => {
  simulator.injectFaults({ hangMs: timing.responseTimeoutMs + 100, on: ["authorize"] });
  const charge = request();
  assertUnknown(await simulator.authorize(charge), "timeout");
  assert.equal(await stateOf(charge.reference), null);
  while ((await stateOf(charge.reference)) === null) await sleep(5);
  assert.deepEqual(notificationsFor(charge.reference), []);
});

test("an approval can have a different amount, or first be pending and then declined", async () => {
  simulator.injectFaults({ otherAmount: true, on: ["authorize"], times: 1 });
  const half = await simulator.authorize(request());
  assert.equal(half.kind === "approved" && half.approvedMinor, 999);
  simulator.injectFaults({ rejectLate: true, on: ["authorize"], times: 1 });
  const late = request();
  assert.equal((await simulator.authorize(late)).kind, "pending");
  await waitForNotification(late.reference);
  assert.deepEqual(notificationsFor(late.reference), ["declined"]);
});
