import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "../../core/api-error.ts";
import { createMerchantConcurrency } from "./merchant-concurrency.ts";

test("the work of a merchant never waits for that of another merchant", async () => {
  const limit = createMerchantConcurrency({ maxRunning: 2, maxWaiting: 3 });
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
  const reads = Array.from({ length: 5 }, () => limit("one", read));
  await assert.rejects(
    limit("one", read),
    (error) => error instanceof ApiError && error.code === "concurrency_limit_exceeded",
  );
  assert.equal(await limit("other", async () => "read"), "read");
  await sleep(0);
  assert.equal(max, 2);
  release();
  await Promise.all(reads);
  assert.equal(await limit("one", async () => "again"), "again");
});
