import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { type ConnectionId, newId } from "../../core/ids.ts";
import { createChannelPair } from "../../platform/processes/channel.ts";
import { createTokenBuckets, type TokenBuckets } from "../../platform/processes/token-buckets.ts";
import { type ConnectionResponse, createConnectionActivity } from "./connection-activity.ts";

const start = new Date("2026-03-01T12:00:00Z");
const id = newId("con", start);
const payment = { account: newId("acct", start), kind: "payment" } as const;

function create(buckets?: TokenBuckets) {
  let now = start;
  const suspended: ConnectionId[] = [];
  const rateLimited: number[] = [];
  const waits: { readonly result: string; readonly waitMs: number }[] = [];
  const activity = createConnectionActivity({
    clock: { now: () => now },
    random: () => 0.5,
    onCredentialsRejected: (connection) => suspended.push(connection),
    onRateLimited: (_connection, rejections) => rateLimited.push(rejections),
    observeWait: (result, waitMs) => waits.push({ result, waitMs }),
    ...(buckets && { buckets }),
  });
  const respond = (outcome: string, why: string | null = null, durationMs = 100) =>
    activity.record(id, { operation: "authorize", outcome, why, durationMs, at: now });
  const pass = (milliseconds: number) => {
    now = new Date(now.getTime() + milliseconds);
  };
  return { activity, respond, pass, suspended, rateLimited, waits };
}

test("three rejected credentials in a row suspend the connection once", () => {
  const { respond, suspended } = create();
  respond("rejected", "credentials");
  respond("rejected", "credentials");
  respond("approved");
  respond("rejected", "credentials");
  respond("rejected", "invalid_request");
  assert.deepEqual(suspended, []);
  for (let times = 0; times < 3; times++) respond("rejected", "credentials");
  assert.deepEqual(suspended, [id]);
  respond("rejected", "credentials");
  assert.deepEqual(suspended, [id]);
});

test("a missing response between rejected credentials does not restart the count", () => {
  const { respond, suspended } = create();
  respond("rejected", "credentials");
  respond("unknown", "timeout");
  respond("rejected", "credentials");
  respond("rejected", "credentials");
  assert.deepEqual(suspended, [id]);
});

test("a rejected wallet token between rejected credentials does not restart the count", () => {
  const { respond, suspended } = create();
  respond("rejected", "credentials");
  respond("rejected", "wallet_token");
  respond("rejected", "credentials");
  respond("rejected", "wallet_token");
  respond("rejected", "credentials");
  assert.deepEqual(suspended, [id]);
});

test("a rejected wallet token does not restart the count of requests without a response", () => {
  const { activity, respond } = create();
  for (let times = 0; times < 5; times++) {
    respond("unknown", "timeout");
    respond("rejected", "wallet_token");
  }
  assert.equal(activity.isCircuitOpen(id), true);
});

test("a rejected wallet token that was the probe leaves the circuit open, and another probe is sent at once", async () => {
  const { activity, respond, pass } = create();
  for (let times = 0; times < 5; times++) respond("unknown", "timeout");
  const admit = async () => (await activity.admit({ id, requestsPerSecond: null }, payment)).kind;
  // This request was sent before the circuit opened. Its rejection does not shorten the backoff.
  respond("rejected", "wallet_token");
  assert.equal(await admit(), "circuit_open");
  pass(1_000);
  for (let times = 0; times < 2; times++) {
    assert.equal(await admit(), "admitted", "the probe");
    assert.equal(await admit(), "circuit_open");
    respond("rejected", "wallet_token");
  }
  assert.equal(activity.healthOf(id).circuit.failures, 5);
  assert.equal(await admit(), "admitted", "the probe");
  respond("approved");
  assert.equal(activity.healthOf(id).circuit.failures, 0);
  assert.equal(await admit(), "admitted");
  assert.equal(await admit(), "admitted");
});

test("five requests without a response stop requests until the backoff has passed", async () => {
  const { activity, respond, pass } = create();
  for (let times = 0; times < 5; times++) respond("unknown", "timeout");
  const admit = async () => (await activity.admit({ id, requestsPerSecond: null }, payment)).kind;
  assert.equal(await admit(), "circuit_open");
  assert.equal(activity.healthOf(id).circuit.isOpen, true);
  pass(1_000);
  assert.equal(await admit(), "admitted", "the probe");
  assert.equal(await admit(), "circuit_open");
  respond("declined");
  assert.equal(await admit(), "admitted");
});

test("a request above the connection's rate limit waits for its turn, and is rejected after 1.5 seconds", async (t) => {
  const { activity, waits } = create();
  const limited = { id, requestsPerSecond: 2 };
  const admit = async () => (await activity.admit(limited, payment)).kind;
  const began = performance.now();
  assert.deepEqual(await Promise.all(Array.from({ length: 3 }, admit)), [
    "admitted",
    "admitted",
    "admitted",
  ]);
  assert.ok(performance.now() - began >= 450, "the third request waited for half a second");
  assert.deepEqual(
    waits.map(({ result, waitMs }) => [result, waitMs >= 450]),
    [
      ["admitted", false],
      ["admitted", false],
      ["admitted", true],
    ],
  );
  const stopped = performance.now();
  const clock = mock.method(performance, "now", () => stopped);
  t.after(() => clock.mock.restore());
  const admissions = await Promise.all(Array.from({ length: 5 }, admit));
  assert.equal(admissions.at(-1), "rate_limited");
});

test("requests that the rate limit rejects are reported once a minute", async () => {
  const { activity, pass, rateLimited, waits } = create();
  const exceed = () =>
    Promise.all(
      Array.from({ length: 7 }, () => activity.admit({ id, requestsPerSecond: 1 }, payment)),
    );
  const rejections = (await exceed()).filter(({ kind }) => kind === "rate_limited").length;
  assert.deepEqual(rateLimited, [1]);
  assert.equal(waits.filter(({ result }) => result === "rate_limited").length, rejections);
  pass(60_000);
  await exceed();
  assert.deepEqual(rateLimited, [1, rejections]);
  // The clock is set back.
  pass(-60_000);
  await exceed();
  assert.equal(rateLimited.length, 3);
});

test("a request is not admitted if its process was stopped while the request waited", async (t) => {
  const { activity } = create();
  const limited = { id, requestsPerSecond: 1 };
  assert.equal((await activity.admit(limited, payment)).kind, "admitted");
  const waiting = activity.admit(limited, payment);
  const continued = performance.now() + 60_000;
  const clock = mock.method(performance, "now", () => continued);
  t.after(() => clock.mock.restore());
  assert.equal((await waiting).kind, "too_late");
});

test("a request that waited for its turn is not admitted if the circuit breaker has opened", async () => {
  const { activity, respond } = create();
  const limited = { id, requestsPerSecond: 5 };
  const admit = async () => (await activity.admit(limited, payment)).kind;
  await Promise.all(Array.from({ length: 5 }, admit));
  const waiting = admit();
  for (let times = 0; times < 5; times++) respond("unknown", "timeout");
  assert.equal(await waiting, "circuit_open");
});

test("the record has the last 50 responses, newest first, and only the listed fields", () => {
  const { activity, respond } = create();
  for (let number = 1; number <= 60; number++) respond("approved", null, number);
  const extra = { operation: "refund", outcome: "done", why: null, durationMs: 61, at: start };
  activity.record(id, { ...extra, body: "4111" } as ConnectionResponse);
  const responses = activity.responsesOf(id);
  assert.equal(responses.length, 50);
  assert.deepEqual(responses[0], extra);
  assert.deepEqual(activity.healthOf(id).outcomes, { approved: 49, done: 1 });
  assert.deepEqual([activity.healthOf(id).medianMs, activity.healthOf(id).p95Ms], [36, 59]);
});

test("the health of a connection without requests has no outcomes and no durations", () => {
  const { activity } = create();
  assert.deepEqual(activity.healthOf(id), {
    circuit: { failures: 0, openUntil: null, isOpen: false },
    outcomes: {},
    medianMs: null,
    p95Ms: null,
  });
});

test("a request with a rate limit is not admitted after the exit of the primary process, which counts requests", async () => {
  const [primary] = createChannelPair();
  const buckets = createTokenBuckets("connections", { index: 0, count: 2, primary });
  const { activity } = create(buckets);
  primary.end();
  assert.equal((await activity.admit({ id, requestsPerSecond: 2 }, payment)).kind, "not_counted");
  assert.equal((await activity.admit({ id, requestsPerSecond: null }, payment)).kind, "admitted");
});
