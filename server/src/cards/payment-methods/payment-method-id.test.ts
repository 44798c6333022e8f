import assert from "node:assert/strict";
import { test } from "node:test";
import { newId, type PaymentMethodId } from "../../core/ids.ts";
import { isFixedTestMethod } from "./payment-method-id.ts";

test("a fixed test name is distinguished from a stored payment method ID", () => {
  assert.equal(isFixedTestMethod("pm_card_visa" as PaymentMethodId), true);
  assert.equal(isFixedTestMethod(newId("pm", new Date())), false);
});
