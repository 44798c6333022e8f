import assert from "node:assert/strict";
import { test } from "node:test";
import { isolated } from "./isolated.ts";

test("a right-to-left name in a sentence is isolated, and other names are unchanged", () => {
  assert.equal(`Remove ${isolated("ليلى 7")}`, "Remove \u2068ليلى 7\u2069");
  assert.equal(isolated("נועה"), "\u2068נועה\u2069");
  assert.equal(isolated("Ada Löwe 李"), "Ada Löwe 李");
});
