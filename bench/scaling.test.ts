import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { capacityOf, figuresFile, readFigures, scalingPage, withTables } from "./scaling.ts";

const figures = readFigures(figuresFile);

test("the tables of docs/operating/scaling.md are those of the committed figures", () => {
  const page = readFileSync(scalingPage, "utf8");
  assert.equal(page, withTables(page, figures));
});

test("more cores process more charges, until another limit is reached first", () => {
  const capacities = [2, 8, 32, 64, 1_000].map((cores) => capacityOf(figures, cores));
  for (const [index, { perSecond }] of capacities.entries()) {
    assert(perSecond >= (capacities[index - 1]?.perSecond ?? 0));
  }
  assert.equal(capacities[0]?.firstLimit, "CPU");
  assert.notEqual(capacities.at(-1)?.firstLimit, "CPU");
});
