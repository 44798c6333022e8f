import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "../../core/api-error.ts";
import { createReadLimits } from "./read-limits.ts";

test("the reads of a merchant wait for each other and never for those of another merchant", async () => {
  const limitedRead = createReadLimits({ maxRunning: 2, maxWaiting: 3 });
  let running = 0;
  let max = 0;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const read = async (): Promise<void> => {
    running += 1;
    max = Math.max(max, running);
    await released;
    running -= 1;
  };
  const reads = Array.from({ length: 5 }, () => limitedRead("one", read));
  await assert.rejects(
    limitedRead("one", read),
    (error) => error instanceof ApiError && error.code === "concurrency_limit_exceeded",
  );
  assert.equal(await limitedRead("other", async () => "read"), "read");
  await sleep(0);
  assert.equal(max, 2);
  release();
  await Promise.all(reads);
  assert.equal(await limitedRead("one", async () => "again"), "again");
});
