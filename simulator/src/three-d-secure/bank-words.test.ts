import assert from "node:assert/strict";
import { test } from "node:test";
import { formLanguages } from "@florin/contract/checkout-session.ts";
import { bankLanguage, bankLanguages } from "./bank-words.ts";

test("the test bank has the languages of the card form", () => {
  assert.deepEqual(bankLanguages.toSorted(), [...formLanguages].toSorted());
});

test("the language is the first one of the browser that the bank has", () => {
  for (const [header, language] of [
    ["de-AT,de;q=0.9,en;q=0.8", "de"],
    ["sv-SE, PT-BR;q=0.5", "pt"],
    ["constructor", "en"],
    [undefined, "en"],
  ] as const) {
    assert.equal(bankLanguage(header), language);
  }
});
