import assert from "node:assert/strict";
import test from "node:test";
import { testCardCredentials } from "../../acquiring/test-card-credentials.ts";
import { parseId } from "../../core/ids.ts";
import { testMethodByName, testMethodByUuid, testMethods } from "./test-methods.ts";

test("a fixed name, its aliases and its UUID denote one payment method", () => {
  const declined = testMethodByName("pm_card_visa_chargeDeclined");
  assert.equal(declined?.card.number, "4000000000000002");
  assert.equal(testMethodByName("pm_card_chargeDeclined"), declined);
  for (const method of testMethods) {
    assert.equal(testMethodByName(method.name), method);
    assert.equal(testMethodByUuid(method.uuid), method);
  }
  assert.equal(testMethodByName("pm_card_unheardOf"), null);
  assert.equal(testMethodByName("__proto__"), null);
});

test("the UUIDs of fixed test names never change, because charges store them", () => {
  const uuidOf = (name: string) => testMethodByName(name)?.uuid;
  assert.equal(uuidOf("pm_card_visa"), "00000000-0000-8000-8000-000000000001");
  assert.equal(uuidOf("pm_card_chargeDeclined"), "00000000-0000-8000-8000-000000000012");
  assert.equal(uuidOf("pm_card_createDisputeInquiry"), "00000000-0000-8000-8000-000000000043");
  assert.equal(new Set(testMethods.map(({ uuid }) => uuid)).size, testMethods.length);
  for (const { uuid } of testMethods) assert.ok(uuid < "01000000-0000-0000-0000-000000000000");
});

test("no fixed name can collide with a stored payment method ID", () => {
  for (const { name } of testMethods) assert.equal(parseId("pm", name), null);
});

test("a fixed name never expires", () => {
  const visa = testMethodByName("pm_card_visa");
  assert.ok(visa);
  for (const year of ["2026", "2039"]) {
    const { expMonth, expYear } = testCardCredentials(
      visa.card,
      new Date(`${year}-12-31T23:00:00Z`),
    );
    assert.deepEqual([expMonth, expYear], [12, Number(year) + 3]);
  }
});
