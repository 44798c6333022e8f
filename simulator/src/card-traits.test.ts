import assert from "node:assert/strict";
import test from "node:test";
import type { CredentialUse } from "@florin/server/acquiring/processor.ts";
import { CardNumber } from "@florin/server/vault/card-number.ts";
import { traitsOf } from "./card-traits.ts";

const once: CredentialUse = { kind: "once" };

function traits(number: string, amountMinor = 1999, use = once): string[] {
  const rest = { expMonth: 12, expYear: 2030, securityCode: null, postalCode: null };
  const card = { ...rest, number: new CardNumber(number), addressLine1: null };
  const { risk, authentication } = traitsOf(card, { amountMinor, currency: "usd" }, use);
  return [risk, authentication];
}

test("a card's risk level and 3-D Secure requirement are known before the charge", () => {
  assert.deepEqual(traits("4242424242424242"), ["normal", "optional"]);
  assert.deepEqual(traits("4100000000000019"), ["blocked", "optional"]);
  assert.deepEqual(traits("4000000000004954"), ["highest", "optional"]);
  assert.deepEqual(traits("4000000000009235"), ["elevated", "optional"]);
  assert.deepEqual(traits("4000002760003184"), ["normal", "required"]);
  assert.deepEqual(traits("4000002500003155"), ["normal", "required"]);
  assert.deepEqual(traits("4000003171000009"), ["normal", "required"]);
  assert.deepEqual(traits("4000000000003055"), ["normal", "optional"]);
});

test("an amount on a success card can require 3-D Secure", () => {
  assert.deepEqual(traits("4242424242424242", 9_003_001), ["normal", "required"]);
  assert.deepEqual(traits("4242424242424242", 9_004_001), ["normal", "optional"]);
});

test("a saved card requires less authentication only if the payment refers to the initial transaction", () => {
  const saved = (initiatedBy: "customer" | "merchant", networkTransactionId: string | null) =>
    ({ kind: "saved", initiatedBy, networkTransactionId }) as const;
  const authenticationOf = (number: string, use: CredentialUse) => traits(number, 1999, use)[1];
  const toBeSaved = { kind: "to_be_saved" } as const;
  for (const [number, use, response] of [
    ["4000002500003155", toBeSaved, "required"],
    ["4000002500003155", saved("customer", "SIM-1"), "optional"],
    ["4000002500003155", saved("merchant", "SIM-1"), "optional"],
    ["4000002500003155", saved("merchant", null), "required"],
    ["4000003800000446", saved("merchant", "SIM-1"), "optional"],
    ["4000003800000446", saved("customer", "SIM-1"), "required"],
    ["4000002760003184", saved("merchant", "SIM-1"), "required"],
  ] as const) {
    assert.equal(authenticationOf(number, use), response, `${number} ${JSON.stringify(use)}`);
  }
});
