import assert from "node:assert/strict";
import { test } from "node:test";
import { openLine } from "./line.ts";

/** Returns the health of an acquirer after responses, each with its second, its reference and its kind. */
function lineAfter(
  ...happened: readonly (readonly [second: number, about: string, kind: string])[]
) {
  let seconds = 0;
  const line = openLine({ now: () => new Date(seconds * 1_000) });
  for (const [second, about, kind] of happened) {
    seconds = second;
    line.hear({ about, answer: { kind } });
  }
  return {
    isSilentAt(second: number) {
      seconds = second;
      return line.isSilent();
    },
  };
}

test("an acquirer is unreachable after requests about three payments have failed for ten seconds", () => {
  const line = lineAfter(
    [0, "a", "approved"],
    [1, "a", "unknown"],
    [2, "b", "not_sent"],
    [3, "c", "unknown"],
  );
  assert.deepEqual([line.isSilentAt(10), line.isSilentAt(11)], [false, true]);
});

test("one payment with repeated failures does not make the acquirer unreachable", () => {
  const asked = [0, 3, 13, 43, 163].map((second) => [second, "a", "unknown"] as const);
  assert.equal(lineAfter(...asked).isSilentAt(900), false);
});

test("any response resets acquirer health, and later failures are counted from zero", () => {
  const lost = ["a", "b", "c"].map((about, place) => [6 * place, about, "unknown"] as const);
  for (const answer of ["approved", "declined", "pending", "not_found", "reversed"]) {
    assert.equal(lineAfter(...lost).isSilentAt(60), true);
    assert.equal(lineAfter(...lost, [13, "d", answer]).isSilentAt(60), false, answer);
    const more = lineAfter(...lost, [13, "d", answer], [14, "a", "unknown"]);
    assert.equal(more.isSilentAt(60), false, answer);
  }
});
