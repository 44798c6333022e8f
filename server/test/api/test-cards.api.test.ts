import assert from "node:assert/strict";
import { after, test } from "node:test";
import { declineCodes } from "@florin/contract/declines.ts";
import { amountTriggers } from "@florin/simulator/amount-triggers.ts";
import { testMethods } from "../../src/cards/payment-methods/test-methods.ts";
import { createCheckout } from "../checkout.ts";
import { startShop } from "../shop.ts";

const shop = await startShop();
after(() => shop.close());

/** The documented result of each number, written out here so that an error in the simulator's own table is detected. */
const success = {
  "4242424242424242": ["visa", "credit"],
  "4000056655665556": ["visa", "debit"],
  "5555555555554444": ["mastercard", "credit"],
  "2223003122003222": ["mastercard", "credit"],
  "5200828282828210": ["mastercard", "debit"],
  "5105105105105100": ["mastercard", "prepaid"],
  "378282246310005": ["amex", "credit"],
  "371449635398431": ["amex", "credit"],
  "6011111111111117": ["discover", "credit"],
  "6011000990139424": ["discover", "credit"],
  "38000000000006": ["diners", "credit"],
  "3056930009020004": ["diners", "credit"],
  "3566002020360505": ["jcb", "credit"],
  "6200000000000005": ["unionpay", "credit"],
} as const;

const declines = {
  "4000000000000002": ["card_declined", "generic_decline"],
  "4000000000009995": ["card_declined", "insufficient_funds"],
  "4000000000009987": ["card_declined", "lost_card"],
  "4000000000009979": ["card_declined", "stolen_card"],
  "4000000000000069": ["expired_card", "expired_card"],
  "4000000000000127": ["incorrect_cvc", "incorrect_cvc"],
  "4000000000000119": ["processing_error", "processing_error"],
  "4000000000006975": ["card_declined", "card_velocity_exceeded"],
  "4000000000000341": ["card_declined", "generic_decline"],
  "4100000000000019": ["card_declined", "fraudulent"],
} as const;

/**
 * For each card, the results of the checks of the security code, address line and postal code. Null if a charge with
 * the card's test payment method has no such check.
 */
const checks = {
  "4000000000000101": ["fail", null, null],
  "4000000000000036": ["pass", null, "fail"],
  "4000000000000028": ["pass", "fail", null],
  "4000000000000010": ["pass", "fail", "fail"],
  "4000000000000044": ["pass", "unavailable", "unavailable"],
} as const;

const afterwards = [
  "4000000000007726",
  "4000000000005126",
  "4000000000000259",
  "4000000000002685",
  "4000000000001976",
  "4000000000003055",
];

const testNameOf = (number: string) => testMethods.find(({ card }) => card.number === number)?.name;
const charge = (payment_method_id: string) =>
  shop.post("/charges", { amount: 1999, currency: "usd", payment_method_id });

/** Enters the card and pays with it. Returns the session and the charge, as the merchant's server reads them. */
async function payWith(number: string, rest: object = {}) {
  const browser = await createCheckout(shop, { max_attempts: 1 });
  const stored = await browser.type(number, rest);
  assert.equal(stored.status, 201, stored.text);
  await browser.confirm(stored.body.payment_method_id);
  const session = (await shop.get(`/checkout_sessions/${browser.session}`)).body;
  return { session, charge: (await shop.get(`/charges/${session.charge_id}`)).body };
}

for (const [number, [brand, funding]] of Object.entries(success)) {
  test(`${number} succeeds in the card form: ${brand}, ${funding}`, async () => {
    const { session, charge } = await payWith(number);
    const { card } = charge.payment_method_details;
    assert.deepEqual([session.status, charge.status], ["complete", "succeeded"]);
    assert.deepEqual([card.brand, card.funding, card.last4], [brand, funding, number.slice(-4)]);
    assert.deepEqual(card.checks, {
      cvc_check: "pass",
      address_line1_check: null,
      address_postal_code_check: null,
    });
  });

  const name = testNameOf(number);
  if (!name) continue;
  test(`${name} succeeds like the card that it names`, async () => {
    const { status, body } = await charge(name);
    const { card } = body.payment_method_details;
    assert.deepEqual(
      [status, body.status, card.brand, card.funding],
      [201, "succeeded", brand, funding],
    );
  });
}

for (const [number, [code, declineCode]] of Object.entries(declines)) {
  test(`${number} is declined in the card form: ${code}, ${declineCode}`, async () => {
    const { session, charge } = await payWith(number);
    assert.deepEqual(
      [session.status, charge.status, charge.failure_code, charge.decline_code],
      ["failed", "failed", code, declineCode],
    );
    assert.deepEqual(
      [session.last_payment_error.code, session.last_payment_error.decline_code],
      [code, declineCode],
    );
  });

  test(`${testNameOf(number)} is declined like the card that it names`, async () => {
    const { status, body } = await charge(testNameOf(number) as string);
    assert.deepEqual(
      [status, body.error.type, body.error.code, body.error.decline_code],
      [402, "card_error", code, declineCode],
    );
  });
}

test("4242424242424241 fails the check digit before any authorization request", async () => {
  const browser = await createCheckout(shop);
  const { status, body } = await browser.type("4242424242424241");
  assert.deepEqual(
    [status, body.error.type, body.error.code, body.error.decline_code],
    [402, "card_error", "incorrect_number", "incorrect_number"],
  );
});

test("a decline for an incorrect CVC is also shown in the checks", async () => {
  const { charge } = await payWith("4000000000000127");
  assert.equal(charge.payment_method_details.card.checks.cvc_check, "fail");
});

for (const [number, [cvc, line1, postalCode]] of Object.entries(checks)) {
  test(`${testNameOf(number)} is approved, with the checks of CVC ${cvc}, line 1 ${line1}, postal code ${postalCode}`, async () => {
    const { status, body } = await charge(testNameOf(number) as string);
    assert.equal(status, 201);
    assert.deepEqual(body.payment_method_details.card.checks, {
      cvc_check: cvc,
      address_line1_check: line1,
      address_postal_code_check: postalCode,
    });
  });
}

test("4000000000000036 with a postal code is approved although the postal code check fails", async () => {
  const { charge } = await payWith("4000000000000036", { postal_code: "94103" });
  assert.equal(charge.status, "succeeded");
  assert.equal(charge.payment_method_details.card.checks.address_postal_code_check, "fail");
});

for (const [number, level, becomes] of [
  ["4000000000009235", "elevated", "authorized"],
  ["4242424242424242", "normal", "succeeded"],
] as const) {
  test(`${testNameOf(number)} has risk level ${level} and is ${becomes}`, async () => {
    const { status, body } = await charge(testNameOf(number) as string);
    assert.deepEqual([status, body.status, body.outcome.risk_level], [201, becomes, level]);
  });
}

test("a card of the highest risk is declined unless a rule approves it", async () => {
  const declined = await payWith("4000000000004954");
  assert.deepEqual(
    [
      declined.charge.status,
      declined.charge.outcome.risk_level,
      declined.charge.outcome.network_status,
    ],
    ["failed", "highest", "not_sent_to_network"],
  );
  const rule = { expression: "risk_level == 'highest'", outcome: "approve" };
  const { id } = (await shop.post("/rules", rule)).body;
  const approved = await payWith("4000000000004954");
  await shop.delete(`/rules/${id}`);
  assert.equal(approved.charge.status, "succeeded");
});

test("a card that is always blocked has the highest risk and is not sent to the acquirer", async () => {
  const { charge } = await payWith("4100000000000019");
  assert.deepEqual(
    [charge.outcome.risk_level, charge.outcome.network_status],
    ["highest", "not_sent_to_network"],
  );
});

for (const number of afterwards) {
  test(`${testNameOf(number)} succeeds immediately (other tests cover its refunds and disputes)`, async () => {
    const { status, body } = await charge(testNameOf(number) as string);
    assert.deepEqual([status, body.status], [201, "succeeded"]);
  });
}

/** Amounts from 9000000 to 9009999 select a result by their last four digits. */
const amounts = {
  "2001": "do_not_honor",
  "2051": "insufficient_funds",
  "2054": "expired_card",
  "2041": "lost_card",
  "2043": "stolen_card",
  "2059": "fraudulent",
  "2061": "card_velocity_exceeded",
  "2065": "authentication_required",
  "2091": "issuer_not_available",
  "2096": "processing_error",
};

test("amount triggers decline with each code that an issuer can return", async () => {
  const ofIssuers = Object.keys(declineCodes).filter((code) => !notOfIssuers.has(code));
  const sent = amountTriggers.flatMap(({ digits, trigger }) =>
    trigger.kind === "declines" ? [{ digits, code: trigger.declineCode }] : [],
  );
  assert.deepEqual(sent.map(({ code }) => code).sort(), ofIssuers.sort());
  for (const { digits, code } of sent) {
    const { status, body } = await shop.post("/charges", {
      amount: 9_000_000 + Number(digits),
      currency: "usd",
      payment_method_id: "pm_card_visa",
    });
    const { errorCode, adviceCode } = declineCodes[code];
    assert.deepEqual(
      [status, body.error.code, body.error.decline_code, body.error.advice_code ?? null],
      [402, errorCode, code, adviceCode],
      digits,
    );
  }
});

/** Decline codes that no issuer returns. The card form, 3-D Secure and the service return them. */
const notOfIssuers = new Set<string>([
  "authentication_canceled",
  "authentication_failed",
  "authentication_timed_out",
  "card_decline_rate_limit_exceeded",
  "invalid_cvc",
  "invalid_expiry_month",
  "invalid_expiry_year",
  "invalid_number",
  "testmode_decline",
]);

for (const [digits, declineCode] of Object.entries(amounts)) {
  test(`the amount 900${digits} is declined with ${declineCode}`, async () => {
    const { status, body } = await shop.post("/charges", {
      amount: 9_000_000 + Number(digits),
      currency: "usd",
      payment_method_id: "pm_card_visa",
    });
    assert.deepEqual(
      [status, body.error.type, body.error.decline_code],
      [402, "card_error", declineCode],
    );
  });
}

test("amounts next to the triggers, and trigger amounts with a card that has its own result, have no effect", async () => {
  for (const amount of [8_992_051, 9_012_051, 9_000_000, 9_009_999, 2_051]) {
    const { status } = await shop.post("/charges", {
      amount,
      currency: "usd",
      payment_method_id: "pm_card_visa",
    });
    assert.equal(status, 201, String(amount));
  }
  const { body } = await shop.post("/charges", {
    amount: 9_002_051,
    currency: "usd",
    payment_method_id: "pm_card_visa_chargeDeclinedLostCard",
  });
  assert.equal(body.error.decline_code, "lost_card");
});

test("live mode accepts no test name", async () => {
  const { account } = await shop.createMerchant({ status: "approved" });
  const { secret } = await shop.issueKey(account, true);
  for (const { name } of testMethods) {
    const { status } = await shop.get(`/payment_methods/${name}`, { as: secret });
    assert.equal(status, 404, name);
  }
});
