import assert from "node:assert/strict";
import { test } from "node:test";
import { batchReads } from "./batch-reads.ts";

test("concurrent reads share a statement, and each gets the result of its key", async () => {
  const batches: (readonly number[])[] = [];
  const double = batchReads(async (keys: readonly number[]) => {
    batches.push(keys);
    return keys.map((key) => 2 * key);
  });
  assert.deepEqual(await Promise.all([double(1), double(2), double(3)]), [2, 4, 6]);
  assert.deepEqual(batches, [[1, 2, 3]]);
});

test("while two statements run, further reads wait and then share a statement of at most 64 keys", async () => {
  const ends: (() => void)[] = [];
  const sizes: number[] = [];
  const read = batchReads(async (keys: readonly number[]) => {
    sizes.push(keys.length);
    await new Promise<void>((resolve) => ends.push(resolve));
    return keys;
  });
  const turn = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
  const reads = [read(1)];
  await turn();
  reads.push(read(2));
  await turn();
  for (let key = 3; key < 103; key++) reads.push(read(key));
  await turn();
  assert.deepEqual(sizes, [1, 1]);
  while (sizes.length < 4) {
    ends.shift()?.();
    await turn();
  }
  for (const end of ends) end();
  assert.deepEqual(sizes, [1, 1, 64, 36]);
  assert.deepEqual(
    await Promise.all(reads),
    Array.from({ length: 102 }, (_, index) => index + 1),
  );
});

test("a failed statement fails its reads, and later reads work", async () => {
  let fails = true;
  const read = batchReads(async (keys: readonly number[]) => {
    if (fails) throw new Error("not connected");
    return keys;
  });
  const failed = await Promise.allSettled([read(1), read(2)]);
  assert.deepEqual(
    failed.map(({ status }) => status),
    ["rejected", "rejected"],
  );
  fails = false;
  assert.equal(await read(3), 3);
});
