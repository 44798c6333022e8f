import assert from "node:assert/strict";
import { test } from "node:test";
import { signalNames } from "@florin/server/risk/rule-expression.ts";
import { signalGroups } from "./signals.ts";

test("the listed signals are exactly those of the service", () => {
  const offered = signalGroups.flatMap(({ signals }) => signals.map(([name]) => name));
  assert.deepEqual(offered.toSorted(), signalNames.toSorted());
});
