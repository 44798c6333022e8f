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
