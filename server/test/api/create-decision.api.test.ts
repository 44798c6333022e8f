import assert from "node:assert/strict";
import { after, test } from "node:test";
import { errorOf, startShop } from "../shop.ts";

const shop = await startShop();
after(() => shop.close());

const requested = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };

test("201: a decision has an outcome, a risk score and an expiry time", async () => {
  const along = { ip: "2001:db8::1", email: "ada@example.com", metadata: { order: "7" } };
  const { status, body } = await shop.post("/decisions", { ...requested, ...along });
  assert.equal(status, 201);
  assert.deepEqual(
    [body.outcome, body.status, body.risk_level, body.reasons, body.charge_id],
    ["approve", "active", "normal", [], null],
  );
  assert.equal(body.expires_at - body.created, 30 * 60);
  assert.deepEqual([body.ip, body.email, body.metadata], [along.ip, along.email, along.metadata]);
  assert.deepEqual([body.amount, body.currency, body.payment_method_id], Object.values(requested));
});

for (const [method, outcome, level, required] of [
  ["pm_card_visa", "approve", "normal", false],
  ["pm_card_riskLevelElevated", "review", "elevated", false],
  ["pm_card_riskLevelHighest", "decline", "highest", false],
  ["pm_card_authenticationRequired", "challenge", "normal", true],
  ["pm_card_visa_chargeDeclinedFraudulent", "decline", "highest", false],
] as const) {
  test(`201: the decision for ${method} is ${outcome}`, async () => {
    const { body } = await shop.post("/decisions", { ...requested, payment_method_id: method });
    assert.deepEqual(
      [body.outcome, body.risk_level, body.three_d_secure.required],
      [outcome, level, required],
    );
    if (outcome !== "approve" || level !== "normal") assert.notDeepEqual(body.reasons, []);
  });
}

test("201: a charge that uses a decision to challenge requires 3-D Secure", async () => {
  const challenge = { ...requested, payment_method_id: "pm_card_authenticationRequired" };
  const { id } = (await shop.post("/decisions", challenge)).body;
  const { status, body } = await shop.post("/charges", { ...challenge, decision_id: id });
  assert.deepEqual([status, body.status], [201, "requires_action"]);
});

for (const [what, change, code, param] of [
  ["a missing amount", { amount: undefined }, "parameter_missing", "amount"],
  ["an amount below the minimum", { amount: 49 }, "amount_too_small", "amount"],
  ["an unknown currency", { currency: "xxx" }, "currency_unsupported", "currency"],
  [
    "an unknown payment method",
    { payment_method_id: "pm_1" },
    "resource_missing",
    "payment_method_id",
  ],
  ["an unknown customer", { customer_id: "cus_1" }, "resource_missing", "customer_id"],
  ["an invalid IP address", { ip: "localhost" }, "parameter_invalid", "ip"],
  ["an invalid email", { email: "@" }, "email_invalid", "email"],
  ["an unknown field", { outcome: "approve" }, "parameter_unknown", "outcome"],
] as const) {
  test(`400: rejects ${what} with ${code}`, async () => {
    const reply = await shop.post("/decisions", { ...requested, ...change });
    assert.deepEqual(errorOf(reply), [400, "invalid_request_error", code, param]);
  });
}
