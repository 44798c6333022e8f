import assert from "node:assert/strict";
import { test } from "node:test";
import { dictionaries } from "./locales/dictionaries.ts";
import { walletName } from "./wallet-name.ts";

test("every language has its own words around the brand of a wallet", () => {
  const brands = ["apple_pay", "google_pay"].map(walletName);
  assert.deepEqual(brands, ["Apple Pay", "Google Pay"]);
  for (const brand of brands) {
    const texts = Object.values(dictionaries).flatMap(({ payWith, walletFailedTitle }) => [
      payWith(brand),
      walletFailedTitle(brand),
    ]);
    assert.equal(new Set(texts).size, texts.length);
    for (const text of texts) assert.ok(text.includes(brand) && text !== brand, text);
  }
});
