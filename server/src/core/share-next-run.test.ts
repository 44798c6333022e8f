import assert from "node:assert/strict";
import { test } from "node:test";
import { shareNextRun } from "./share-next-run.ts";

/** Returns work whose runs each wait until the test ends them. */
function heldWork() {
  const runs: PromiseWithResolvers<string>[] = [];
  const run = shareNextRun((_key: string) => {
    const held = Promise.withResolvers<string>();
    runs.push(held);
    return held.promise;
  });
  return { runs, run };
}

/** Waits until the next run has started. */
async function started(runs: readonly unknown[], count: number): Promise<void> {
  while (runs.length < count) await new Promise((resolve) => setImmediate(resolve));
}

test("calls during a run share one run that starts after it, and another key does not wait", async () => {
  const { runs, run } = heldWork();
  const first = run("a");
  const later = [run("a"), run("a")];
  const other = run("b");
  assert.equal(runs.length, 2);
  runs[0]?.resolve("first");
  runs[1]?.resolve("other");
  assert.deepEqual([await first, await other], ["first", "other"]);
  await started(runs, 3);
  runs[2]?.resolve("second");
  assert.deepEqual(await Promise.all(later), ["second", "second"]);
  assert.equal(runs.length, 3);
});

test("a failed run rejects only its callers, and the next run starts", async () => {
  const { runs, run } = heldWork();
  const first = run("a");
  const later = run("a");
  runs[0]?.reject(new Error("the database is away"));
  await assert.rejects(first, /away/);
  await started(runs, 2);
  runs[1]?.resolve("second");
  assert.equal(await later, "second");
});
