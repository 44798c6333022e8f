import assert from "node:assert/strict";
import { test } from "node:test";
import { createAcquirerHealth } from "./acquirer-health.ts";

/**
 * Records the results of requests, each given as its time in seconds, its reference and its kind. Returns an object
 * that states whether the acquirer is unreachable at a given second.
 */
function healthAfter(
  ...happened: readonly (readonly [second: number, reference: string, kind: string])[]
) {
  let seconds = 0;
  const health = createAcquirerHealth({ now: () => new Date(seconds * 1_000) });
  for (const [second, reference, kind] of happened) {
    seconds = second;
    health.record({ reference, response: { kind } });
  }
  return {
    isUnreachableAt(second: number) {
      seconds = second;
      return health.isUnreachable();
    },
  };
}

test("an acquirer is unreachable when requests about three payments fail for ten seconds", () => {
  const health = healthAfter(
    [0, "a", "approved"],
    [1, "a", "unknown"],
    [2, "b", "not_sent"],
    [3, "c", "unknown"],
  );
  assert.deepEqual([health.isUnreachableAt(10), health.isUnreachableAt(11)], [false, true]);
});

test("repeated failures about one payment do not make the acquirer unreachable", () => {
  const inquiries = [0, 3, 13, 43, 163].map((second) => [second, "a", "unknown"] as const);
  assert.equal(healthAfter(...inquiries).isUnreachableAt(900), false);
});

test("any response makes the acquirer reachable and resets the count of failures", () => {
  const lost = ["a", "b", "c"].map(
    (reference, place) => [6 * place, reference, "unknown"] as const,
  );
  for (const response of ["approved", "declined", "pending", "not_found", "reversed"]) {
    assert.equal(healthAfter(...lost).isUnreachableAt(60), true);
    assert.equal(healthAfter(...lost, [13, "d", response]).isUnreachableAt(60), false, response);
    const more = healthAfter(...lost, [13, "d", response], [14, "a", "unknown"]);
    assert.equal(more.isUnreachableAt(60), false, response);
  }
});
