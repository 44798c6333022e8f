import assert from "node:assert/strict";
import { test } from "node:test";
import { isolateBidi } from "./isolate-bidi.ts";

test("a right-to-left name in a sentence is isolated, and other names are unchanged", () => {
  assert.equal(`Remove ${isolateBidi("ليلى 7")}`, "Remove \u2068ليلى 7\u2069");
  assert.equal(isolateBidi("נועה"), "\u2068נועה\u2069");
  assert.equal(isolateBidi("Ada Löwe 李"), "Ada Löwe 李");
});
