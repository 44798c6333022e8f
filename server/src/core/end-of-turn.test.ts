import assert from "node:assert/strict";
import { test } from "node:test";
import { atEndOfTurn } from "./end-of-turn.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("the work of one turn runs after the turn, in its order", async () => {
  const ran: number[] = [];
  for (const work of [1, 2, 3]) atEndOfTurn(() => ran.push(work));
  assert.deepEqual(ran, []);
  await turn();
  assert.deepEqual(ran, [1, 2, 3]);
});

test("work that is added by other work runs at the end of the next turn", async () => {
  const ran: string[] = [];
  atEndOfTurn(() => {
    ran.push("first");
    atEndOfTurn(() => ran.push("second"));
  });
  await turn();
  assert.deepEqual(ran, ["first"]);
  await turn();
  assert.deepEqual(ran, ["first", "second"]);
});

test("an error in one piece of work does not prevent the others", async () => {
  const errors: unknown[] = [];
  const ran: number[] = [];
  const listeners = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException");
  process.once("uncaughtException", (error) => errors.push(error));
  atEndOfTurn(() => {
    throw new Error("broken");
  });
  atEndOfTurn(() => ran.push(2));
  await turn();
  await turn();
  for (const listener of listeners) process.on("uncaughtException", listener);
  assert.deepEqual(ran, [2]);
  assert.equal(errors.length, 1);
});
