import assert from "node:assert/strict";
import { test } from "node:test";
import { type AssignmentId, newId } from "../../core/ids.ts";
import type { RoutingTarget } from "./routing-rule.ts";
import { weightedOrder } from "./weighted-order.ts";

const now = new Date("2026-03-01T12:00:00Z");
const targets: readonly RoutingTarget[] = [60, 30, 10].map((weight) => ({
  assignment: newId("asg", now),
  weight,
}));
const payments = 20_000;
const keys = Array.from({ length: payments }, () => newId("ch", now));
const firstOf = (of: readonly RoutingTarget[], key: string) =>
  weightedOrder(of, key)[0]?.assignment as AssignmentId;

function sharesOf(of: readonly RoutingTarget[], among: readonly string[]): number[] {
  const firsts = among.map((key) => firstOf(of, key));
  return of.map(
    ({ assignment }) => firsts.filter((one) => one === assignment).length / among.length,
  );
}

test("each target is first for the share of payments that its weight states", () => {
  const shares = sharesOf(targets, keys);
  for (const [index, share] of [0.6, 0.3, 0.1].entries()) {
    assert.ok(Math.abs((shares[index] as number) - share) < 0.02, `${shares}`);
  }
});

test("if a target is removed, only its payments move, and the other targets share them by weight", () => {
  const rest = targets.slice(1);
  const moved = keys.filter((key) => firstOf(targets, key) !== firstOf(rest, key));
  assert.ok(moved.every((key) => firstOf(targets, key) === targets[0]?.assignment));
  const [second = 0] = sharesOf(rest, moved);
  assert.ok(Math.abs(second - 0.75) < 0.02, `${second}`);
});

test("the order of a payment does not depend on the order of the targets", () => {
  const reversed = [...targets].reverse();
  for (const key of keys.slice(0, 200)) {
    assert.deepEqual(weightedOrder(reversed, key), weightedOrder(targets, key));
  }
});
