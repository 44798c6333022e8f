import assert from "node:assert/strict";
import { test } from "node:test";
import { isolateBidi, withoutDirectionControls } from "./isolate-bidi.ts";

test("a right-to-left name in a sentence is isolated, and other names are unchanged", () => {
  assert.equal(`Remove ${isolateBidi("ليلى 7")}`, "Remove \u2068ليلى 7\u2069");
  assert.equal(isolateBidi("נועה"), "\u2068נועה\u2069");
  assert.equal(isolateBidi("Ada Löwe 李"), "Ada Löwe 李");
});

test("a name cannot reverse the sentence around it", () => {
  assert.equal(`${isolateBidi("Ada\u202e")} removed.`, "Ada removed.");
  assert.equal(isolateBidi("ליאה\u2069\u202e"), "\u2068ליאה\u2069");
});

test("a name cannot display its own letters in reverse", () => {
  assert.equal(withoutDirectionControls("photo\u202egpj.exe"), "photogpj.exe");
  assert.equal(withoutDirectionControls("\u2067שלום\u2069"), "שלום");
});
