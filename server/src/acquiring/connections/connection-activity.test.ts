import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { type ConnectionId, newId } from "../../core/ids.ts";
import { createChannelPair } from "../../platform/processes/channel.ts";
import { createTokenBuckets, type TokenBuckets } from "../../platform/processes/token-buckets.ts";
import { type ConnectionResponse, createConnectionActivity } from "./connection-activity.ts";

const start = new Date("2026-03-01T12:00:00Z");
const id = newId("con", start);

function create(buckets?: TokenBuckets) {
  let now = start;
  const suspended: ConnectionId[] = [];
  const activity = createConnectionActivity({
    clock: { now: () => now },
    random: () => 0.5,
    onCredentialsRejected: (connection) => suspended.push(connection),
    ...(buckets && { buckets }),
  });
  const respond = (outcome: string, why: string | null = null, durationMs = 100) =>
    activity.record(id, { operation: "authorize", outcome, why, durationMs, at: now });
  const pass = (milliseconds: number) => {
    now = new Date(now.getTime() + milliseconds);
  };
  return { activity, respond, pass, suspended };
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
  const admit = async () => (await activity.admit({ id, requestsPerSecond: null })).kind;
  // The rejection of a request from before the circuit opened does not shorten the backoff.
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
  const admit = async () => (await activity.admit({ id, requestsPerSecond: null })).kind;
  assert.equal(await admit(), "circuit_open");
  assert.equal(activity.healthOf(id).circuit.isOpen, true);
  pass(1_000);
  assert.equal(await admit(), "admitted", "the probe");
  assert.equal(await admit(), "circuit_open");
  respond("declined");
  assert.equal(await admit(), "admitted");
});

test("a connection's own rate limit rejects further requests", async (t) => {
  const stopped = mock.method(performance, "now", () => 1_000);
  t.after(() => stopped.mock.restore());
  const { activity } = create();
  const admissions = await Promise.all(
    Array.from({ length: 3 }, () => activity.admit({ id, requestsPerSecond: 2 })),
  );
  assert.deepEqual(
    admissions.map(({ kind }) => kind),
    ["admitted", "admitted", "rate_limited"],
  );
  assert.deepEqual(admissions[2], { kind: "rate_limited", waitMs: 500 });
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
  assert.equal((await activity.admit({ id, requestsPerSecond: 2 })).kind, "not_counted");
  assert.equal((await activity.admit({ id, requestsPerSecond: null })).kind, "admitted");
});
