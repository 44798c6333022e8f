import assert from "node:assert/strict";
import { test } from "node:test";
import { testCards } from "@florin/contract/test-cards.ts";
import { newId } from "@florin/server/core/ids.ts";
import {
  type CardCredentials,
  CardNumber,
  TokenCryptogram,
} from "@florin/server/vault/card-number.ts";
import { decide } from "../authorization.ts";
import { traitsOf } from "../card-traits.ts";
import { isCryptogramOf, newCryptogram } from "./token-cryptogram.ts";

const now = new Date("2026-05-01T12:00:00Z");
const number = "4242424242424242";
/** A card whose issuer requires 3-D Secure. */
const authenticatedNumber = "4000002760003184";

function cardWith(digits: string, cryptogram: string | null): CardCredentials {
  return {
    number: new CardNumber(digits),
    expMonth: 12,
    expYear: 2030,
    securityCode: null,
    postalCode: null,
    addressLine1: null,
    networkToken: {
      cryptogram: cryptogram === null ? null : new TokenCryptogram(cryptogram),
      eci: "05",
      source: "google_pay",
    },
  };
}

function authorizationOf(card: CardCredentials) {
  const request = {
    account: newId("acct", now),
    reference: newId("ch", now),
    price: { amountMinor: 1999, currency: "usd" },
    capture: true,
    authentication: null,
    card,
  } as const;
  const { state, declineCode, eci } = decide(request, now, 1_000).authorization;
  return { state, declineCode, eci };
}

const approved = { state: "approved", declineCode: null, eci: "05" } as const;
const unauthenticated = { state: "declined", declineCode: "authentication_failed", eci: "05" };

test("a cryptogram is valid only for its number, and each one is different", () => {
  const cryptogram = newCryptogram(number);
  assert.equal(Buffer.from(cryptogram, "base64").length, 20);
  assert.notEqual(newCryptogram(number), cryptogram);
  assert.equal(isCryptogramOf(number, cryptogram), true);
  assert.equal(isCryptogramOf(authenticatedNumber, cryptogram), false);
  assert.equal(isCryptogramOf(number, ""), false);
});

test("the issuer declines a network token without its own cryptogram", () => {
  assert.deepEqual(authorizationOf(cardWith(number, newCryptogram(number))), approved);
  const wrong = [null, "", "AgAAAAAAAIR8CQrXcIhbQAAAAAA=", newCryptogram(authenticatedNumber)];
  for (const cryptogram of wrong) {
    assert.deepEqual(authorizationOf(cardWith(number, cryptogram)), unauthenticated);
  }
});

test("a network token needs no 3-D Secure, although its issuer requires it for the card number", () => {
  const token = cardWith(authenticatedNumber, newCryptogram(authenticatedNumber));
  const { networkToken, ...card } = token;
  const price = { amountMinor: 1999, currency: "usd" } as const;
  const needOf = (credentials: CardCredentials) =>
    traitsOf(credentials, price, { kind: "once" }).authentication;
  assert.deepEqual([needOf(token), needOf(card)], ["optional", "required"]);
  assert.deepEqual(authorizationOf(token), approved);
  assert.equal(authorizationOf(card).declineCode, "authentication_required");
});

test("a network token of every test card that declines is declined with the same code", () => {
  for (const { number: digits, declineCode } of testCards) {
    const token = cardWith(digits, newCryptogram(digits));
    assert.equal(authorizationOf(token).declineCode, declineCode, digits);
  }
});
