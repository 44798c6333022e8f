import assert from "node:assert/strict";
import { test } from "node:test";
import { inMegabytes } from "./disk-space.ts";

test("needed space is rounded up, and free space is rounded down", () => {
  assert.equal(inMegabytes(100_200_000), "101 MB");
  assert.equal(inMegabytes(100_800_000, Math.floor), "100 MB");
});
