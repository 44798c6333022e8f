import assert from "node:assert/strict";
import test from "node:test";
import { testCards } from "@florin/contract/test-cards.ts";
import { type AcceptedCards, acceptCard } from "./accept-card.ts";

const now = new Date("2026-05-15T12:00:00Z");
const typed = { expMonth: 12, expYear: 2030, postalCode: null, addressLine1: null };
/** A number with a valid Luhn check digit that is not a test card number. */
const realNumber = "4539578763621486";

function accept(number: string, accepted: AcceptedCards): string {
  const securityCode = number.startsWith("3") && number.length === 15 ? "1234" : "123";
  const acceptance = acceptCard({ ...typed, number, securityCode }, accepted, now);
  return acceptance.kind === "card" ? "accepted" : acceptance.problem;
}

test("test mode accepts only test cards, and live mode accepts other cards", () => {
  assert.equal(accept(realNumber, "test_cards"), "testmode_decline");
  assert.equal(accept(realNumber, "real_cards"), "accepted");
});

test("live mode rejects every test card, and test mode accepts it", () => {
  for (const { number } of testCards) {
    if (number === "4242424242424241") continue;
    assert.equal(accept(number, "real_cards"), "testmode_decline", number);
    assert.equal(accept(number, "test_cards"), "accepted", number);
  }
  assert.equal(accept("4242424242424241", "real_cards"), "incorrect_number");
  assert.equal(accept("4242424242424241", "test_cards"), "incorrect_number");
});

test("live mode of an instance with sandboxes accepts the test cards of acquirers", () => {
  assert.equal(accept("4242424242424242", "all_cards"), "accepted");
  assert.equal(accept(realNumber, "all_cards"), "accepted");
});

test("a test card carries its funding and issuer country", () => {
  const of = (number: string) => {
    const acceptance = acceptCard({ ...typed, number, securityCode: null }, "test_cards", now);
    assert.ok(acceptance.kind === "card");
    return [acceptance.card.funding, acceptance.card.country];
  };
  assert.deepEqual(of("4000056655665556"), ["debit", "US"]);
  assert.deepEqual(of("5105105105105100"), ["prepaid", "US"]);
  assert.deepEqual(of("4000002760003184"), ["credit", "DE"]);
});
