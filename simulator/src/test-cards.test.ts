import assert from "node:assert/strict";
import test from "node:test";
import { passesLuhn } from "@florin/contract/luhn.ts";
import { expectedResult } from "@florin/contract/test-card-three-d-secure.ts";
import { findTestCard, type TestCard, testCards } from "@florin/contract/test-cards.ts";
import { parseCard } from "@florin/server/vault/parse-card.ts";
import { amountTriggers, findAmountTrigger } from "@florin/simulator/amount-triggers.ts";

const now = new Date("2026-05-15T12:00:00Z");

function card(number: string): TestCard {
  return findTestCard(number) ?? assert.fail(`${number} is not in the table`);
}

test("test card numbers are unique, and only the designated one fails the Luhn check", () => {
  const numbers = testCards.map(({ number }) => number);
  assert.equal(new Set(numbers).size, numbers.length);
  assert.deepEqual(
    numbers.filter((number) => !passesLuhn(number)),
    ["4242424242424241"],
  );
});

test("the form accepts every test card and detects the brand in the table", () => {
  for (const { number, brand } of testCards) {
    if (!passesLuhn(number)) continue;
    const securityCode = brand === "amex" ? "1234" : "123";
    const rest = {
      expMonth: 12,
      expYear: 2030,
      securityCode,
      postalCode: null,
      addressLine1: null,
    };
    const parsed = parseCard({ number, ...rest }, now);
    assert.equal(parsed.kind === "card" ? parsed.card.brand : parsed.problem, brand, number);
  }
});

test("3-D Secure test cards follow the pattern 4000 003M AC00 000x and have the documented results", () => {
  const published = {
    "4000003000000006": ["none", "authenticated"],
    "4000003100000005": ["responds", "authenticated"],
    "4000003200000004": ["times_out", "authenticated"],
    "4000003110000003": ["responds", "authentication_failed"],
    "4000003120000001": ["responds", "attempted"],
    "4000003130000009": ["responds", "rejected"],
    "4000003140000007": ["responds", "informational"],
    "4000003150000004": ["responds", "unavailable"],
    "4000003160000002": ["responds", "unavailable"],
    "4000003170000000": ["responds", "person_decides"],
    "4000003171000009": ["responds", "authenticated"],
    "4000003172000008": ["responds", "authentication_failed"],
    "4000003173000007": ["responds", "authentication_timed_out"],
    "4000003174000006": ["responds", "authentication_canceled"],
    "4000003175000005": ["responds", "authentication_timed_out"],
    "4000003176000004": ["responds", "authentication_failed"],
    "4000003177000003": ["responds", "authentication_timed_out"],
  };
  for (const [number, [method, result]] of Object.entries(published)) {
    const { threeDSecure } = card(number);
    assert.ok(threeDSecure, number);
    assert.deepEqual([threeDSecure.method, expectedResult(threeDSecure)], [method, result], number);
  }
  const family = testCards.filter(({ group }) => group === "three_d_secure_family");
  assert.equal(family.length, 3 * (7 + 8));
});

test("amount triggers stay in their ranges, apply to success cards only, and use each suffix once", () => {
  const visa = card("4242424242424242");
  assert.equal(findAmountTrigger(visa, 9_002_051)?.kind, "declines");
  assert.equal(findAmountTrigger(visa, 2_051), null);
  assert.equal(findAmountTrigger(visa, 9_012_051), null);
  assert.equal(findAmountTrigger(visa, 9_000_000), null);
  assert.equal(findAmountTrigger(card("4000000000009995"), 9_004_001), null);
  assert.equal(new Set(amountTriggers.map(({ digits }) => digits)).size, amountTriggers.length);
});
