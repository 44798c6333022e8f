import assert from "node:assert/strict";
import { test } from "node:test";
import { evaluateGoal, evaluateGoals, goals } from "./goals.ts";
import type { Measurement } from "./measurement.ts";
import { scenariosFor } from "./scenarios/scenarios.ts";

function run(perSecond: number): Measurement {
  return { perSecond, p50Ms: 1, p99Ms: 2, succeeded: 1, seconds: 1, cpu: null, violations: [] };
}

test("the scenarios of every goal exist", () => {
  const names = scenariosFor({ rows: 1, only: null, processes: [2, 4] }).map(({ name }) => name);
  const unknown = goals
    .flatMap(({ scenarios }) => scenarios)
    .filter((name) => !names.includes(name));
  assert.deepEqual(unknown, []);
});

test("no two scenarios share a name", () => {
  const names = scenariosFor({ rows: 1, only: null, processes: [2, 4] }).map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
});

test("a goal is met at its bound and missed beyond it", () => {
  assert.equal(evaluateGoal("a", 5, { atLeast: 5 }).met, true);
  assert.equal(evaluateGoal("a", 4.99, { atLeast: 5 }).met, false);
  assert.equal(evaluateGoal("a", 15, { atMost: 15 }).met, true);
  assert.equal(evaluateGoal("a", 15.01, { atMost: 15 }).met, false);
});

test("a value that could not be measured meets no goal", () => {
  assert.equal(evaluateGoal("a", Number.NaN, { atLeast: 5 }).met, false);
  assert.equal(evaluateGoal("a", Number.NaN, { atMost: 5 }).met, false);
});

test("a goal with a round that could not be measured is missed", () => {
  for (const failed of [0, 1, 2]) {
    const runs = [0, 1, 2].map((round) => run(round === failed ? Number.NaN : 9_000));
    const rounds = new Map([["charges alone, 256 connections", runs]]);
    assert.equal(evaluateGoals(rounds)[0]?.met, false);
  }
});

test("a goal is evaluated only when all of its scenarios were measured", () => {
  const some = new Map([["charges alone, 256 connections", [run(9_000)]]]);
  assert.deepEqual(
    evaluateGoals(some).map(({ goal, met }) => [goal, met]),
    [["durable charges per second (≥ 8000)", true]],
  );
  some.set("floor: plain transactions, 256 connections", [run(2_000)]);
  assert.deepEqual(evaluateGoals(some)[0], {
    goal: "durable charges, relative to plain transactions (≥ 5)",
    value: 4.5,
    met: false,
  });
});

test("an absolute goal applies only to a machine with a high HTTP ceiling", () => {
  const resultAt = (perSecond: number) => {
    const runs = new Map([
      ["charges, open loop at 3,000/s", [run(2_000)]],
      ["ceiling: the HTTP server alone, 256 connections", [run(perSecond)]],
    ]);
    return evaluateGoals(runs).find(({ goal }) => goal.includes("p99"))?.met;
  };
  assert.equal(resultAt(39_999), null);
  assert.equal(resultAt(40_000), true);
});

test("a ratio is the median of the ratios of each round, even if the machine becomes slower", () => {
  const rounds = new Map([
    ["charges alone, 256 connections", [run(9_000), run(6_000), run(3_000)]],
    ["floor: plain transactions, 256 connections", [run(1_500), run(1_000), run(600)]],
  ]);
  const ratio = evaluateGoals(rounds).find(({ goal }) => goal.includes("plain transactions"));
  assert.equal(ratio?.value, 6);
});

test("a scenario with one run is compared with every run of the other scenario", () => {
  const rounds = new Map([
    ["charges alone, 256 connections", [run(9_000), run(6_000), run(3_000)]],
    ["floor: plain transactions, 256 connections", [run(1_000)]],
  ]);
  assert.equal(
    evaluateGoals(rounds).find(({ goal }) => goal.includes("plain transactions"))?.value,
    6,
  );
});
