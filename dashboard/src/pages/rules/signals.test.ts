import assert from "node:assert/strict";
import { test } from "node:test";
import { signalNames } from "@florin/server/risk/rule-expression.ts";
import { signalGroups } from "./signals.ts";

test("the words that are offered to writers of rules are those that the service knows", () => {
  const offered = signalGroups.flatMap(({ signals }) => signals.map(([name]) => name));
  assert.deepEqual(offered.toSorted(), signalNames.toSorted());
});
