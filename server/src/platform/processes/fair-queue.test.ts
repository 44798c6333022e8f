import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createFairQueue } from "./fair-queue.ts";

test("the parties are served in turn, and the requests of a party in order of arrival", () => {
  const queue = createFairQueue<string>();
  for (const waiter of ["a1", "a2", "a3", "b1", "c1", "c2"]) {
    queue.add(waiter.charAt(0), "payment", waiter);
  }
  assert.deepEqual([queue.parties, queue.length, queue.lengthOf("a", "payment")], [3, 6, 3]);
  assert.deepEqual(drain(queue), ["a1", "b1", "c1", "a2", "c2", "a3"]);
  assert.deepEqual([queue.parties, queue.length, queue.lengthOf("a", "payment")], [0, 0, 0]);
});

test("the kinds of requests of a party are served in turn", () => {
  const queue = createFairQueue<string>();
  for (const waiter of ["p1", "p2", "p3"]) queue.add("a", "payment", waiter);
  queue.add("a", "operation", "o1");
  queue.add("a", "operation", "o2");
  assert.equal(queue.turnsUntil("a", "payment"), 6);
  assert.equal(queue.turnsUntil("a", "operation"), 6);
  queue.add("a", "payment", "p4");
  assert.equal(queue.turnsUntil("a", "operation"), 6);
  assert.equal(queue.turnsUntil("a", "inquiry"), 3);
  assert.equal(queue.turnsUntil("b", "payment"), 1);
  assert.deepEqual(drain(queue), ["p1", "o1", "p2", "o2", "p3", "p4"]);
});

test("a party that was not served is served next", () => {
  const queue = createFairQueue<string>();
  for (const waiter of ["a1", "a2", "b1", "b2"]) queue.add(waiter.charAt(0), "payment", waiter);
  assert.deepEqual([queue.next(), queue.next()], ["a1", "b1"]);
  queue.add("c", "payment", "c1");
  assert.deepEqual(drain(queue), ["c1", "a2", "b2"]);
});

test("a party gets no second turn before a party that waits since its last turn", () => {
  const queue = createFairQueue<string>();
  queue.add("a", "payment", "a1");
  queue.add("a", "payment", "a2");
  queue.add("b", "payment", "b1");
  assert.deepEqual([queue.next(), queue.next()], ["a1", "b1"]);
  queue.add("b", "payment", "b2");
  assert.deepEqual(drain(queue), ["a2", "b2"]);
});

test("a removed request is not served", () => {
  const queue = createFairQueue<string>();
  queue.add("a", "payment", "a1");
  queue.add("b", "payment", "b1");
  queue.remove("a", "payment", "a1");
  queue.remove("a", "payment", "a1");
  queue.remove("a", "operation", "b1");
  assert.deepEqual([queue.parties, queue.length], [1, 1]);
  assert.deepEqual(drain(queue), ["b1"]);
});

type Step = readonly ["add", number, number] | readonly ["next"] | readonly ["remove"];

const steps = fc.array(
  fc.oneof(
    fc.tuple(fc.constant("add" as const), fc.nat(3), fc.nat(1)),
    fc.tuple(fc.constant("next" as const)),
    fc.tuple(fc.constant("remove" as const)),
  ),
  { maxLength: 200 },
);

test("between two turns of a party that waits, no other party has more than one turn", () =>
  fc.assert(
    fc.property(steps, (list: readonly Step[]) => {
      type Waiter = { readonly party: string; readonly kind: string };
      const queue = createFairQueue<Waiter>();
      const waiting = new Set<Waiter>();
      /**
       * For each waiting party, the number of turns that each other party has had since the waiting party began to wait
       * or had its own last turn.
       */
      const turns = new Map<string, Map<string, number>>();
      const waits = (party: string) => [...waiting].some((one) => one.party === party);
      for (const [step, party, kind] of list) {
        if (step === "add") {
          const waiter = { party: `party ${party}`, kind: `kind ${kind}` };
          if (!waits(waiter.party)) turns.set(waiter.party, new Map());
          waiting.add(waiter);
          queue.add(waiter.party, waiter.kind, waiter);
        } else if (step === "remove") {
          const [waiter] = waiting;
          if (!waiter) continue;
          waiting.delete(waiter);
          queue.remove(waiter.party, waiter.kind, waiter);
          if (!waits(waiter.party)) turns.delete(waiter.party);
        } else {
          const waiter = queue.next();
          if (waiter === null) {
            assert.equal(waiting.size, 0);
            continue;
          }
          assert.ok(waiting.delete(waiter));
          turns.delete(waiter.party);
          for (const others of turns.values()) {
            const count: number = (others.get(waiter.party) ?? 0) + 1;
            assert.ok(count <= 1, `${waiter.party} had ${count} turns`);
            others.set(waiter.party, count);
          }
          if (waits(waiter.party)) turns.set(waiter.party, new Map());
        }
        assert.equal(queue.length, waiting.size);
        assert.equal(queue.parties, new Set([...waiting].map((one) => one.party)).size);
      }
    }),
  ));

function drain(queue: { next(): string | null }): string[] {
  const all: string[] = [];
  for (let waiter = queue.next(); waiter !== null; waiter = queue.next()) all.push(waiter);
  return all;
}
