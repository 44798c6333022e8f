import assert from "node:assert/strict";
import { test } from "node:test";
import { needsDots } from "./plot.ts";

const line = (...values: (number | null)[]) => values.map((value) => ({ value }));
const long = Array.from({ length: 20 }, (_, index) => index);

test("a long line has dots only if a point has no neighbor, which the line alone would not show", () => {
  assert.equal(needsDots(line(1, 2, 3)), true);
  assert.equal(needsDots(line(...long)), false);
  assert.equal(needsDots(line(...long, null, null)), false);
  for (const lone of [
    line(...long, null, 5),
    line(5, null, ...long),
    line(...long, null, 5, null),
  ]) {
    assert.equal(needsDots(lone), true);
  }
});
