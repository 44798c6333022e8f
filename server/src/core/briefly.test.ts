import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { briefly } from "./briefly.ts";

test("callers who ask at once share one reading, and the next after the time is up reads anew", async () => {
  let readings = 0;
  const remembered = briefly(50, async (key: string) => `${key} ${++readings}`);
  const together = await Promise.all([remembered("a"), remembered("a"), remembered("b")]);
  assert.deepEqual(together, ["a 1", "a 1", "b 2"]);
  await sleep(70);
  assert.equal(await remembered("a"), "a 3");
});

test("a failure is told to whoever asked and not remembered", async () => {
  let readings = 0;
  const remembered = briefly(60_000, async () => {
    if (++readings === 1) throw new Error("away");
    return readings;
  });
  await assert.rejects(remembered("a"), /away/);
  assert.equal(await remembered("a"), 2);
});
