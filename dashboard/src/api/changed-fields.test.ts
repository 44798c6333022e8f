import assert from "node:assert/strict";
import { test } from "node:test";
import { changedFields } from "./changed-fields.ts";

test("only fields with another value than at first are sent", () => {
  const shown = { id: "we_1", url: "https://a.example", description: "Shop", events: ["a", "b"] };
  const entered = { url: "https://a.example", description: null, events: ["b", "a"] };
  assert.deepEqual(changedFields(entered, shown), { description: null });
  assert.deepEqual(changedFields({ ...entered, events: ["b"] }, shown), {
    description: null,
    events: ["b"],
  });
});
