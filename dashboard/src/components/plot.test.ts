import assert from "node:assert/strict";
import { test } from "node:test";
import { highestOf, labeledPoints, needsDots, stackOf } from "./plot.ts";

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

const seriesOf = (label: string, ...values: (number | null)[]) => ({
  label,
  points: values.map((value, at) => ({ at, value })),
});

test("each bar is stacked on the bar of the previous series, and lines are not stacked", () => {
  const series = [seriesOf("Approved", 3, null, 2), seriesOf("Failed", 1, 4, 0)];
  const spans = (kind: "bars" | "line") => stackOf(series, kind).map((one) => one.spans);
  assert.deepEqual(spans("bars")[1], [
    [3, 4],
    [0, 4],
    [2, 2],
  ]);
  assert.deepEqual(spans("line")[1], [
    [0, 1],
    [0, 4],
    [0, 0],
  ]);
});

test("the scale of a chart includes the stacked bars and the previous period", () => {
  const stack = stackOf([seriesOf("Approved", 3, 1), seriesOf("Failed", 1, 4)], "bars");
  assert.equal(highestOf(stack), 5);
  assert.equal(highestOf(stack, [null, 7]), 7);
  assert.equal(highestOf(stackOf([], "bars")), 0);
});

test("the labels of the time axis do not overlap, however narrow the chart is", () => {
  const labelWidth = 40;
  for (const count of [0, 1, 2, 7, 24, 31, 91]) {
    for (let plotWidth = 60; plotWidth <= 1_200; plotWidth += 20) {
      const pointWidth = plotWidth / Math.max(count, 1);
      const labeled = labeledPoints(count, pointWidth, () => labelWidth);
      assert.ok(labeled.length <= Math.min(count, 6));
      assert.equal(labeled.length > 0, count > 0);
      for (const [index, point] of labeled.entries()) {
        const distance = (point - (labeled[index - 1] ?? Number.NEGATIVE_INFINITY)) * pointWidth;
        assert.ok(distance > labelWidth, `${count} points, ${plotWidth} pixels`);
      }
    }
  }
  assert.deepEqual(
    labeledPoints(31, 30, () => labelWidth),
    [3, 9, 15, 21, 27],
  );
});
