import assert from "node:assert/strict";
import { test } from "node:test";
import { openLine } from "./line.ts";

/** A line at whose other end things happen: the second, and what came of a question. */
function lineAfter(...happened: readonly (readonly [second: number, kind: string])[]) {
  let seconds = 0;
  const line = openLine({ now: () => new Date(seconds * 1_000) });
  for (const [second, kind] of happened) {
    seconds = second;
    line.hear({ answer: { kind } });
  }
  return {
    isSilentAt(second: number) {
      seconds = second;
      return line.isSilent();
    },
  };
}

test("an acquirer is silent when three questions in ten seconds come to nothing", () => {
  const line = lineAfter([0, "approved"], [1, "unknown"], [2, "not_sent"], [3, "unknown"]);
  assert.deepEqual([line.isSilentAt(10), line.isSilentAt(11)], [false, true]);
});

test("two lost answers are no silence, however long ago", () => {
  assert.equal(lineAfter([0, "unknown"], [1, "unknown"]).isSilentAt(900), false);
});

test("any answer ends the silence, and what fails then is counted anew", () => {
  const lost = [0, 5, 12].map((second) => [second, "unknown"] as const);
  for (const answer of ["approved", "declined", "pending", "not_found", "reversed"]) {
    assert.equal(lineAfter(...lost, [13, answer]).isSilentAt(60), false, answer);
    assert.equal(lineAfter(...lost, [13, answer], [14, "unknown"]).isSilentAt(60), false, answer);
  }
});
