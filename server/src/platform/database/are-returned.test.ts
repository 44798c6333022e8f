import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { areReturned } from "./are-returned.ts";

test("finds the returned IDs, also if they are returned in another order", () => {
  assert.deepEqual(areReturned(["a", "b", "c"], ["a", "c"]), [true, false, true]);
  assert.deepEqual(areReturned(["a", "b", "c"], ["c", "a"]), [true, false, true]);
  assert.deepEqual(areReturned(["a", "b"], []), [false, false]);
  const returnedIds = fc
    .uniqueArray(fc.uuid(), { maxLength: 20 })
    .chain((ids) => fc.record({ ids: fc.constant(ids), returned: fc.shuffledSubarray(ids) }));
  fc.assert(
    fc.property(returnedIds, ({ ids, returned }) => {
      assert.deepEqual(
        areReturned(ids, returned),
        ids.map((id) => returned.includes(id)),
      );
    }),
  );
});
