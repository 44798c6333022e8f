import assert from "node:assert/strict";
import { test } from "node:test";
import { createEndpointQueues, type QueuePosition } from "./endpoint-queues.ts";

type Sent = { name: string; respond(success: boolean | null): Promise<void> };

/** Returns endpoint queues whose requests end when the test calls `respond`. */
function createQueues(limits: object = {}) {
  const sent: Sent[] = [];
  const queues = createEndpointQueues<string>({
    maxHeld: 4_096,
    maxInFlight: 100,
    maxInFlightPerAccount: 32,
    maxInFlightPerEndpoint: 8,
    maxInFlightPerFastEndpoint: 32,
    ...limits,
    onCapacity: () => undefined,
    send: (name) =>
      new Promise((resolve) => {
        const respond = async (success: boolean | null) => {
          resolve(success);
          for (let turn = 0; turn < 5; turn++) await null;
        };
        sent.push({ name, respond });
      }),
  });
  const position = (endpoint: string, fields: Partial<QueuePosition> = {}): QueuePosition => ({
    endpoint,
    account: endpoint,
    inOrderWith: null,
    ...fields,
  });
  const fill = (count: number, endpoint: string, fields: Partial<QueuePosition> = {}) => {
    for (let n = 0; n < count; n++) queues.add(position(endpoint, fields), `${endpoint} ${n}`);
  };
  return { queues, sent, fill, position };
}

test("the window of an endpoint starts at 8 and shrinks to 1 while the endpoint fails", async () => {
  const { sent, fill } = createQueues();
  fill(50, "e");
  assert.equal(sent.length, 8);
  for (let n = 0; n < 8; n++) await sent[n]?.respond(false);
  assert.equal(sent.length, 9);
  await sent[8]?.respond(false);
  assert.equal(sent.length, 10);
});

test("a fast endpoint's window grows to the account's limit", async () => {
  const { sent, fill } = createQueues();
  fill(200, "e");
  let answered = 0;
  while (answered < 60) await sent[answered++]?.respond(true);
  assert.equal(sent.length - answered, 32);
});

test("the endpoints of an account share its limit and do not delay other accounts", async () => {
  const { sent, fill } = createQueues();
  for (const endpoint of ["a", "b", "c", "d", "e"]) fill(20, endpoint, { account: "one" });
  assert.equal(sent.length, 32);
  fill(8, "other");
  assert.equal(sent.filter(({ name }) => name.startsWith("other")).length, 8);
  await sent[0]?.respond(true);
  assert.equal(sent.length, 41);
});

test("endpoints are served in turn", async () => {
  const { sent, fill } = createQueues({ maxInFlight: 2 });
  fill(20, "long");
  fill(2, "short");
  await sent[0]?.respond(true);
  await sent[1]?.respond(true);
  assert.deepEqual(
    sent.slice(2).map(({ name }) => name.split(" ")[0]),
    ["long", "short"],
  );
});

test("all failing endpoints together use at most half of the capacity", async () => {
  const { sent, fill } = createQueues({ maxInFlight: 8 });
  const dead = ["a", "b", "c", "d", "e", "f", "g", "h"];
  for (const endpoint of dead) fill(1, endpoint);
  for (const one of sent.splice(0)) await one.respond(false);
  for (const endpoint of dead) fill(3, endpoint);
  assert.equal(sent.length, 4);
  fill(4, "healthy");
  assert.equal(sent.length, 8);
});

test("deliveries about one object are sequential, and others overtake them", async () => {
  const { queues, sent, position } = createQueues();
  const add = (name: string, inOrderWith: string | null) =>
    queues.add(position("e", { inOrderWith }), name);
  add("first of x", "x");
  add("second of x", "x");
  add("first of y", "y");
  add("a retry", null);
  assert.deepEqual(
    sent.map(({ name }) => name),
    ["first of x", "first of y", "a retry"],
  );
  await sent[0]?.respond(false);
  assert.equal(sent.at(-1)?.name, "second of x");
});

test("queued deliveries can be removed, for one endpoint or all, and those in flight are awaited", async () => {
  const { queues, sent, fill } = createQueues();
  fill(10, "a");
  fill(9, "b");
  assert.deepEqual(queues.drain("a"), ["a 8", "a 9"]);
  assert.deepEqual(queues.drain(), ["b 8"]);
  assert.equal(queues.held(), 16);
  let idle = false;
  const waiting = queues.idle().then(() => {
    idle = true;
  });
  for (const one of sent.slice(0, 15)) await one.respond(true);
  assert.equal(idle, false);
  await sent[15]?.respond(null);
  await waiting;
  assert.equal(queues.held(), 0);
});

test("capacity covers half a second of an endpoint's responses, and one delivery for a failing endpoint", async () => {
  const { queues, sent, fill } = createQueues();
  fill(8, "e");
  assert.deepEqual(queues.capacities(), [{ endpoint: "e", capacity: 72 }]);
  for (const one of sent.splice(0)) await one.respond(false);
  assert.deepEqual(queues.capacities(), [{ endpoint: "e", capacity: 1 }]);
  assert.equal(queues.hasCapacity("e"), true);
  fill(2, "e");
  assert.equal(queues.hasCapacity("e"), false);
  assert.equal(queues.hasCapacity("unknown"), true);
});

test("an account occupies at most as many places in the queues as remain free for other accounts", async () => {
  const { queues, sent, fill } = createQueues({ maxHeld: 100 });
  fill(8, "a1", { account: "a" });
  fill(40, "a2", { account: "a" });
  assert.deepEqual(queues.capacities(), [
    { endpoint: "a1", capacity: 4 },
    { endpoint: "a2", capacity: 4 },
  ]);
  assert.deepEqual(queues.fullAccounts(), []);
  fill(2, "a2", { account: "a" });
  assert.deepEqual(queues.fullAccounts(), ["a"]);
  assert.equal(queues.hasCapacity("a1"), false);
  fill(1, "b");
  assert.equal(queues.hasCapacity("b"), true);
  queues.drain("a2");
  await sent[0]?.respond(true);
  assert.deepEqual(queues.fullAccounts(), []);
});
