import assert from "node:assert/strict";
import { test } from "node:test";
import { keyPermissions } from "@florin/contract/permissions.ts";
import { levelsOf, permissionsOf, presetOf, presets, resources } from "./key-access.ts";

test("every permission of a key belongs to exactly one level of one resource", () => {
  const offered = resources.flatMap(({ read, write }) => [read ?? [], write ?? []].flat());
  assert.deepEqual(offered.toSorted(), [...keyPermissions].toSorted());
});

test("write includes read, and none grants nothing", () => {
  assert.deepEqual(permissionsOf({ payments: "write" }), ["payments:read", "payments:write"]);
  assert.deepEqual(permissionsOf({ balance: "read", refunds: "none" }), ["balance:read"]);
  assert.deepEqual(permissionsOf({}), []);
});

test("the highest levels of all resources grant every permission that a key can have", () => {
  const highest = resources.map((resource) => [resource.name, levelsOf(resource).at(-1)]);
  assert.deepEqual(permissionsOf(Object.fromEntries(highest)), keyPermissions);
});

test("a preset is recognized until a level is changed", () => {
  for (const [name, { levels }] of Object.entries(presets)) assert.equal(presetOf(levels), name);
  assert.equal(presetOf({ ...presets.reporting.levels, refunds: "write" }), "custom");
  assert.ok(permissionsOf(presets.read_only.levels).every((one) => one.endsWith(":read")));
});
