import assert from "node:assert/strict";
import { test } from "node:test";
import { type AuthorizationDetails, noDetails } from "../../acquiring/outcome.ts";
import type { MaskedCard } from "./masked-card.ts";
import { newCardDetails, withIdentity } from "./new-card-details.ts";

const card: MaskedCard = {
  brand: "visa",
  last4: "1111",
  exp_month: 12,
  exp_year: 2030,
  funding: "unknown",
  country: null,
  networks: { available: ["visa"], preferred: null },
  fingerprint: "f",
};
const details = (change: Partial<AuthorizationDetails>): AuthorizationDetails => ({
  ...noDetails,
  ...change,
});
const reported = {
  brand: "visa",
  funding: "debit",
  country: "NL",
  last4: "1111",
  expiry: { month: 5, year: 2031 },
} as const;
const nothing = {
  funding: null,
  country: null,
  expiry: null,
  brand: null,
  last4: null,
  updateReason: null,
};
/** A card of a wallet whose token only the acquirer decrypts. */
const unnumbered: MaskedCard = {
  ...card,
  brand: "unknown",
  last4: null,
  exp_month: null,
  exp_year: null,
  networks: { available: [], preferred: null },
  fingerprint: null,
  wallet: "google_pay",
};

test("only details that the payment method lacks are returned", () => {
  assert.deepEqual(newCardDetails(card, details({ card: reported }), null), {
    ...nothing,
    funding: "debit",
    country: "NL",
  });
  const complete: MaskedCard = { ...card, funding: "credit", country: "DE" };
  assert.equal(newCardDetails(complete, details({ card: reported }), null), null);
  assert.equal(newCardDetails(card, noDetails, null), null);
});

test("the acquirer's first response supplies the card details of a wallet, and later responses do not change them", () => {
  const newDetails = newCardDetails(unnumbered, details({ card: reported }), null);
  assert.deepEqual(newDetails, { ...reported, updateReason: null });
  const known = withIdentity(unnumbered, newDetails);
  assert.deepEqual(
    [known.brand, known.last4, known.exp_month, known.exp_year, known.fingerprint],
    ["visa", "1111", 5, 2031, null],
  );
  assert.equal(
    newCardDetails(known, details({ card: { ...reported, last4: "2222" } }), null),
    null,
  );
  assert.equal(newCardDetails(unnumbered, noDetails, null), null);
});

test("the number and the expiry date of a card in the vault are not replaced by the acquirer's", () => {
  const other = details({ card: { ...reported, brand: "mastercard", last4: "2222" } });
  const newDetails = newCardDetails(card, other, null);
  assert.deepEqual(newDetails, { ...nothing, funding: "debit", country: "NL" });
  assert.equal(withIdentity(card, newDetails), card);
});

test("a new expiry date is stored, and an unchanged one is not", () => {
  const update = (expMonth: number, expYear: number) =>
    details({ accountUpdate: { kind: "expiry_changed", expMonth, expYear } });
  assert.deepEqual(newCardDetails(card, update(3, 2034), null), {
    ...nothing,
    expiry: { month: 3, year: 2034 },
  });
  assert.equal(newCardDetails(card, update(12, 2030), null), null);
});

test("declines that only new card data can end give a reason for an update", () => {
  const reasonOf = (code: Parameters<typeof newCardDetails>[2]) =>
    newCardDetails(card, noDetails, code)?.updateReason ?? null;
  assert.equal(reasonOf("expired_card"), "expired");
  assert.equal(reasonOf("new_account_information_available"), "card_replaced");
  for (const code of ["insufficient_funds", "lost_card", "do_not_honor"] as const) {
    assert.equal(reasonOf(code), null, code);
  }
});

test("the report of the account updater takes precedence over the decline code", () => {
  const closed = details({ accountUpdate: { kind: "account_closed" } });
  assert.equal(newCardDetails(card, closed, "expired_card")?.updateReason, "account_closed");
});
