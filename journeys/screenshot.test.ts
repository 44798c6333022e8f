import assert from "node:assert/strict";
import { test } from "node:test";
import { partsOf } from "./screenshot.ts";

test("a page of up to 2,400 pixels is one screenshot", () => {
  assert.deepEqual(partsOf(800), [{ y: 0, height: 800 }]);
  assert.deepEqual(partsOf(2_400), [{ y: 0, height: 2_400 }]);
});

test("the parts of a tall page cover it, overlap by 100 pixels and are at most 1,500 pixels high", () => {
  for (const pageHeight of [2_401, 3_900, 3_901, 11_037, 23_057]) {
    const parts = partsOf(pageHeight);
    assert.equal(parts[0]?.y, 0);
    for (const [index, { y, height }] of parts.entries()) {
      assert.ok(height <= 1_500, `${pageHeight}: ${height}`);
      const next = parts[index + 1];
      assert.equal(y + height, next ? next.y + 100 : pageHeight);
    }
  }
});
