import assert from "node:assert/strict";
import test from "node:test";
import { testCards } from "@florin/contract/test-cards.ts";
import { acceptCard } from "./accept-card.ts";

const now = new Date("2026-05-15T12:00:00Z");
const typed = { expMonth: 12, expYear: 2030, postalCode: null, addressLine1: null };
/** A number with a valid Luhn check digit that is not a test card number. */
const realNumber = "4539578763621486";

function accept(number: string, livemode: boolean): string {
  const securityCode = number.startsWith("3") && number.length === 15 ? "1234" : "123";
  const acceptance = acceptCard({ ...typed, number, securityCode }, livemode, now);
  return acceptance.kind === "card" ? "accepted" : acceptance.problem;
}

test("test mode accepts only test cards, and live mode accepts other cards", () => {
  assert.equal(accept(realNumber, false), "testmode_decline");
  assert.equal(accept(realNumber, true), "accepted");
});

test("live mode rejects every test card, and test mode accepts it", () => {
  for (const { number } of testCards) {
    if (number === "4242424242424241") continue;
    assert.equal(accept(number, true), "testmode_decline", number);
    assert.equal(accept(number, false), "accepted", number);
  }
  assert.equal(accept("4242424242424241", true), "incorrect_number");
  assert.equal(accept("4242424242424241", false), "incorrect_number");
});

test("a test card carries its funding and issuer country", () => {
  const of = (number: string) => {
    const acceptance = acceptCard({ ...typed, number, securityCode: null }, false, now);
    assert.ok(acceptance.kind === "card");
    return [acceptance.card.funding, acceptance.card.country];
  };
  assert.deepEqual(of("4000056655665556"), ["debit", "US"]);
  assert.deepEqual(of("5105105105105100"), ["prepaid", "US"]);
  assert.deepEqual(of("4000002760003184"), ["credit", "DE"]);
});
