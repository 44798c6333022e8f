import assert from "node:assert/strict";
import { test } from "node:test";
import { newId } from "../../core/ids.ts";
import type { ListEntry } from "../../risk/list-entry.ts";
import type { Rule } from "../../risk/rule.ts";
import type { WebhookEndpoint } from "../../webhooks/delivery/endpoint.ts";
import { compareSettings, type Settings } from "./compare-settings.ts";

const now = new Date("2026-11-21T12:00:00Z");
const scope = { account: newId("acct", now), livemode: false };
const nothing: Settings = { endpoints: [], rules: [], entries: [] };

const endpoint = (values: Partial<WebhookEndpoint> = {}): WebhookEndpoint => ({
  scope,
  id: newId("we", now),
  url: "https://shop.example/hooks",
  enabledEvents: ["*"],
  description: null,
  status: "enabled",
  metadata: {},
  secrets: { current: Buffer.alloc(0), previous: null },
  failing: null,
  lastFailure: null,
  version: 1,
  ...values,
});
const rule = (values: Partial<Rule> = {}): Rule => ({
  id: newId("rule", now),
  scope,
  expression: "amount > 50000",
  outcome: "review",
  status: "enabled",
  disabledReason: null,
  description: null,
  metadata: {},
  ...values,
});
const blocked = (value: string): ListEntry => ({
  id: newId("lst", now),
  scope,
  list: "block",
  attribute: "email",
  value,
  expiresAt: null,
  description: null,
  metadata: {},
});

const changes = (test: Partial<Settings>, live: Partial<Settings> = {}) =>
  compareSettings({ ...nothing, ...test }, { ...nothing, ...live }, (url) =>
    url.startsWith("https:") ? null : "not https",
  ).map(({ shown }) => shown);

test("a setting that live mode lacks is new, and its copied value is shown", () => {
  const [shown] = changes({ endpoints: [endpoint({ description: "Orders" })] });
  assert.equal(shown?.change, "new");
  assert.deepEqual(
    shown?.differences.map(({ field, test: value }) => [field, value]),
    [
      ["enabled_events", "*"],
      ["description", "Orders"],
      ["status", "enabled"],
    ],
  );
});

test("settings with equal values in any order are equal", () => {
  const one = endpoint({ enabledEvents: ["payment.succeeded", "payment_failed"] });
  const other = endpoint({ enabledEvents: ["payment_failed", "payment.succeeded"] });
  const [shown] = changes({ endpoints: [one] }, { endpoints: [other] });
  assert.deepEqual([shown?.change, shown?.differences], ["same", []]);
});

test("a setting with different values is reported with both", () => {
  const [shown] = changes({ rules: [rule()] }, { rules: [rule({ status: "disabled" })] });
  assert.equal(shown?.change, "different");
  assert.deepEqual(shown?.differences, [{ field: "status", test: "enabled", live: "disabled" }]);
});

test("a rule with another outcome is a different rule", () => {
  const [shown] = changes({ rules: [rule()] }, { rules: [rule({ outcome: "decline" })] });
  assert.equal(shown?.change, "new");
});

test("a URL that live mode does not allow is reported with the reason", () => {
  const [shown] = changes({ endpoints: [endpoint({ url: "http://127.0.0.1:4243/" })] });
  assert.deepEqual([shown?.change, shown?.reason], ["impossible", "not https"]);
});

test("a list is compared as one setting with the missing values", () => {
  const values = ["a@x.example", "b@x.example", "c@x.example"];
  const [shown] = changes(
    { entries: values.map(blocked) },
    { entries: [blocked("b@x.example"), blocked("z@x.example")] },
  );
  assert.deepEqual([shown?.key, shown?.change], ["block:email", "different"]);
  assert.deepEqual(shown?.differences, [
    { field: "values", test: "a@x.example, c@x.example", live: "2" },
  ]);
});

test("settings that only live mode has are left out", () => {
  assert.deepEqual(changes({}, { rules: [rule()], endpoints: [endpoint()] }), []);
});
