import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  expectedResult,
  type ThreeDSecureResult,
} from "@florin/contract/test-card-three-d-secure.ts";
import { testCards } from "@florin/contract/test-cards.ts";
import { rightCode, submit, submitToIssuer } from "../cardholder.ts";
import { authenticationOf, startChallenge } from "../challenge.ts";
import { createCheckout } from "../checkout.ts";
import { startShop } from "../shop.ts";
import { second } from "../test-clock.ts";

const shop = await startShop();
after(() => shop.close());

/** For each result: the expected failure code or status of the charge, the ECI, and whether liability shifts. */
const expectedCharges: Readonly<
  Record<Exclude<ThreeDSecureResult, "person_decides">, readonly [string, string | null, boolean]>
> = {
  authenticated: ["succeeded", "05", true],
  attempted: ["succeeded", "06", true],
  informational: ["succeeded", "07", false],
  unavailable: ["succeeded", null, false],
  rejected: ["authentication_failed", null, false],
  authentication_failed: ["authentication_failed", "07", false],
  authentication_timed_out: ["authentication_timed_out", null, false],
  authentication_canceled: ["authentication_canceled", null, false],
  processing_error: ["processing_error", null, false],
};

for (const card of testCards.filter(({ group }) => group === "three_d_secure_family")) {
  const behavior = card.threeDSecure;
  assert.ok(behavior);
  const result = expectedResult(behavior);

  test(`${card.number}: ${card.description}`, async () => {
    const { cardholder, waitUntilFinal } = await startChallenge(shop, card.number);
    const step = await cardholder.runUntilAres();
    if (behavior.challenge) {
      assert.equal(step, "challenge");
      const page = await cardholder.openIssuerPage();
      if (behavior.challenge === "person_decides") await submitToIssuer(shop, page, rightCode);
      else if (behavior.challenge === "creq_never_arrives") {
        assert.equal(page.status, 204);
        shop.clock.advance(31 * second);
      } else {
        const back = await submitToIssuer(shop, page, "nothing");
        assert.ok(back.form);
        assert.equal((await submit(shop, back.form)).status, 200);
        // The issuer sends no RReq, so the service's own deadline ends the challenge.
        if (behavior.challenge === "rreq_never_comes") shop.clock.advance(31 * second);
      }
    }
    const charge = await waitUntilFinal();
    const [end, eci, shift] =
      expectedCharges[result === "person_decides" ? "authenticated" : result];
    assert.equal(charge.failure_code ?? charge.status, end);
    const record = authenticationOf(charge);
    assert.equal(record.liability_shift, shift);
    if (eci !== null) assert.equal(record.eci, eci);
    const networkStatus =
      charge.status === "failed" ? "not_sent_to_network" : "approved_by_network";
    assert.equal(charge.outcome.network_status, networkStatus);
  });
}

for (const [number, what, step, end, code] of [
  ["4000002500003155", "card not saved", "challenge", "succeeded", null],
  ["4000002760003184", "always", "challenge", "succeeded", null],
  ["4000003800000446", "customer present", "challenge", "succeeded", null],
  [
    "4000008260003178",
    "insufficient funds afterwards",
    "challenge",
    "card_declined",
    "insufficient_funds",
  ],
  ["4000000000003220", "required", "challenge", "succeeded", null],
  ["4000008400000027", "required", "challenge", "succeeded", null],
  ["4000000032200000", "required, frictionless", "done", "succeeded", null],
  ["4000008400001629", "declined afterwards", "challenge", "card_declined", "generic_decline"],
  ["4000008400001280", "lookup fails", "done", "processing_error", "processing_error"],
] as const) {
  test(`${number}: ${what}, ends as ${end}`, async () => {
    const { cardholder, waitUntilFinal } = await startChallenge(shop, number);
    assert.equal(await cardholder.runUntilAres(), step);
    if (step === "challenge")
      await submitToIssuer(shop, await cardholder.openIssuerPage(), rightCode);
    const charge = await waitUntilFinal();
    assert.equal(charge.failure_code ?? charge.status, end);
    assert.equal(charge.decline_code, code);
    assert.equal(authenticationOf(charge).liability_shift, number !== "4000008400001280");
  });
}

test("4000000000003055 needs no 3-D Secure by default, and is challenged if the merchant requests it", async () => {
  const browser = await createCheckout(shop);
  assert.equal((await browser.pay("4000000000003055")).body.status, "complete");
  const requested = await startChallenge(shop, "4000000000003055", { three_d_secure: "always" });
  assert.equal(await requested.cardholder.runUntilAres(), "challenge");
});

for (const [digits, result, end] of [
  ["3001", "authenticated", "succeeded"],
  ["3002", "authenticated", "succeeded"],
  ["3003", "attempted", "succeeded"],
  ["3004", "failed", "authentication_failed"],
  ["3005", "unavailable", "succeeded"],
] as const) {
  test(`amount trigger ${digits}: 3-D Secure ends as ${result}`, async () => {
    const { cardholder, waitUntilFinal } = await startChallenge(shop, "4242424242424242", {
      amount: 9_000_000 + Number(digits),
    });
    if ((await cardholder.runUntilAres()) === "challenge") {
      const page = await cardholder.openIssuerPage();
      await submitToIssuer(shop, page, digits === "3001" ? rightCode : "nothing");
    }
    const charge = await waitUntilFinal();
    assert.equal(authenticationOf(charge).result, result);
    assert.equal(charge.failure_code ?? charge.status, end);
  });
}

test("no card number is in any table or log line after all tests in this file", async () => {
  const { read } = shop.app.database;
  const rows = [
    ...(await read<{ row: string }>`select t::text as row from authentications t`),
    ...(await read<{ row: string }>`select t::text as row from simulator.challenges t`),
    ...(await read<{ row: string }>`select t::text as row from simulator.directory_transactions t`),
    ...shop.log.map((line) => ({ row: JSON.stringify(line) })),
  ].map(({ row }) => row);
  assert.ok(rows.length > 100);
  for (const { number } of testCards) assert.ok(!rows.some((row) => row.includes(number)), number);
  // Cryptograms are deleted once the acquirer has received them.
  const [stored] = await read<{ values: number }>`
    select count(authentication_value) as values from authentications where due_at is null`;
  assert.equal(stored?.values, 0);
});
