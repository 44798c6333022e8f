import assert from "node:assert/strict";
import { test } from "node:test";
import { openLanes, type Place } from "./lanes.ts";

type Sent = { name: string; answer(success: boolean | null): Promise<void> };

/** Endpoint queues whose endpoints respond when the test says so. */
function openWorld(limits: object = {}) {
  const sent: Sent[] = [];
  const lanes = openLanes<string>({
    mostInFlight: 100,
    mostInFlightPerAccount: 32,
    mostInFlightPerEndpoint: 8,
    mostInFlightPerQuickEndpoint: 32,
    ...limits,
    onRoom: () => undefined,
    send: (name) =>
      new Promise((resolve) => {
        const answer = async (success: boolean | null) => {
          resolve(success);
          for (let turn = 0; turn < 5; turn++) await null;
        };
        sent.push({ name, answer });
      }),
  });
  const place = (endpoint: string, facts: Partial<Place> = {}): Place => ({
    endpoint,
    account: endpoint,
    inOrderWith: null,
    ...facts,
  });
  const fill = (count: number, endpoint: string, facts: Partial<Place> = {}) => {
    for (let n = 0; n < count; n++) lanes.add(place(endpoint, facts), `${endpoint} ${n}`);
  };
  return { lanes, sent, fill, place };
}

test("an endpoint has 8 in flight at first, and one that fails is down to a single one", async () => {
  const { sent, fill } = openWorld();
  fill(50, "e");
  assert.equal(sent.length, 8);
  for (let n = 0; n < 8; n++) await sent[n]?.answer(false);
  assert.equal(sent.length, 9);
  await sent[8]?.answer(false);
  assert.equal(sent.length, 10);
});

test("one that answers at once earns as much as its account may have", async () => {
  const { sent, fill } = openWorld();
  fill(200, "e");
  let answered = 0;
  while (answered < 60) await sent[answered++]?.answer(true);
  assert.equal(sent.length - answered, 32);
});

test("an account's endpoints share its places, and others are not held up", async () => {
  const { sent, fill } = openWorld();
  for (const endpoint of ["a", "b", "c", "d", "e"]) fill(20, endpoint, { account: "one" });
  assert.equal(sent.length, 32);
  fill(8, "other");
  assert.equal(sent.filter(({ name }) => name.startsWith("other")).length, 8);
  await sent[0]?.answer(true);
  assert.equal(sent.length, 41);
});

test("endpoints take turns", async () => {
  const { sent, fill } = openWorld({ mostInFlight: 2 });
  fill(20, "long");
  fill(2, "short");
  await sent[0]?.answer(true);
  await sent[1]?.answer(true);
  assert.deepEqual(
    sent.slice(2).map(({ name }) => name.split(" ")[0]),
    ["long", "short"],
  );
});

test("however many endpoints fail, they hold half of all places", async () => {
  const { sent, fill } = openWorld({ mostInFlight: 8 });
  const dead = ["a", "b", "c", "d", "e", "f", "g", "h"];
  for (const endpoint of dead) fill(1, endpoint);
  for (const one of sent.splice(0)) await one.answer(false);
  for (const endpoint of dead) fill(3, endpoint);
  assert.equal(sent.length, 4);
  fill(4, "healthy");
  assert.equal(sent.length, 8);
});

test("what is about one object is begun one after the other, and the rest goes past it", async () => {
  const { lanes, sent, place } = openWorld();
  const add = (name: string, inOrderWith: string | null) =>
    lanes.add(place("e", { inOrderWith }), name);
  add("first of x", "x");
  add("second of x", "x");
  add("first of y", "y");
  add("a retry", null);
  assert.deepEqual(
    sent.map(({ name }) => name),
    ["first of x", "first of y", "a retry"],
  );
  await sent[0]?.answer(false);
  assert.equal(sent.at(-1)?.name, "second of x");
});

test("what waits can be taken back, of one endpoint or of all, and what is in flight is waited for", async () => {
  const { lanes, sent, fill } = openWorld();
  fill(10, "a");
  fill(9, "b");
  assert.deepEqual(lanes.drain("a"), ["a 8", "a 9"]);
  assert.deepEqual(lanes.drain(), ["b 8"]);
  assert.equal(lanes.held(), 16);
  let idle = false;
  const waiting = lanes.idle().then(() => {
    idle = true;
  });
  for (const one of sent.slice(0, 15)) await one.answer(true);
  assert.equal(idle, false);
  await sent[15]?.answer(null);
  await waiting;
  assert.equal(lanes.held(), 0);
});

test("as much is asked for as an endpoint answers in half a second, and for a failing one a single delivery", async () => {
  const { lanes, sent, fill } = openWorld();
  fill(8, "e");
  assert.deepEqual(lanes.rooms(), [{ endpoint: "e", room: 72 }]);
  for (const one of sent.splice(0)) await one.answer(false);
  assert.deepEqual(lanes.rooms(), [{ endpoint: "e", room: 1 }]);
  assert.equal(lanes.hasRoom("e"), true);
  fill(2, "e");
  assert.equal(lanes.hasRoom("e"), false);
  assert.equal(lanes.hasRoom("unknown"), true);
});
