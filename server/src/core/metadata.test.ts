import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "./api-error.ts";
import { mergeMetadata } from "./metadata.ts";

test("metadata pairs are merged, and null removes a pair", () => {
  const merged = mergeMetadata(
    { kept: "1", changed: "2", gone: "3" },
    { changed: "4", gone: null },
  );
  assert.deepEqual(merged, { kept: "1", changed: "4" });
});

test("an update without metadata leaves it unchanged", () => {
  assert.deepEqual(mergeMetadata({ order: "7" }, undefined), { order: "7" });
});

test("merged metadata is limited to 50 pairs", () => {
  const full = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, "v"]));
  assert.equal(Object.keys(mergeMetadata(full, { k0: null, another: "v" })).length, 50);
  assert.throws(
    () => mergeMetadata(full, { another: "v" }),
    (error) => error instanceof ApiError && error.code === "metadata_invalid",
  );
});
