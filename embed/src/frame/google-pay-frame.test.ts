import assert from "node:assert/strict";
import { test } from "node:test";
import { buttonLanguage, googleTotal, tokenizationOf } from "./google-pay-frame.ts";
import { googlePayAt } from "./session.fixture.ts";

test("Google gets the amount with at most two decimals, or Google Pay is not offered", () => {
  assert.equal(googleTotal(1999, "usd"), "19.99");
  assert.equal(googleTotal(500, "jpy"), "500");
  assert.equal(googleTotal(12_340, "kwd"), "12.34");
  assert.equal(googleTotal(12_345, "kwd"), null);
});

test("a token is encrypted to the account's key or to the acquirer", () => {
  assert.deepEqual(tokenizationOf(googlePayAt("https://wallets.example")), {
    type: "DIRECT",
    parameters: { protocolVersion: "ECv2", publicKey: "BA==" },
  });
  const tokenization = { type: "PAYMENT_GATEWAY", parameters: { gateway: "adyen" } } as const;
  assert.deepEqual(
    tokenizationOf(googlePayAt("https://wallets.example", { tokenization })),
    tokenization,
  );
});

test("the button has the form's language, or English if Google has no button in it", () => {
  assert.deepEqual(["de-CH", "zh-Hant-TW", "he", "x"].map(buttonLanguage), [
    "de",
    "zh",
    "en",
    "en",
  ]);
});
