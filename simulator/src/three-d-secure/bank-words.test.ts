import assert from "node:assert/strict";
import { test } from "node:test";
import { formLanguages } from "@florin/contract/checkout-session.ts";
import { bankLanguage, bankLanguages, bankWords } from "./bank-words.ts";
import type { Challenge } from "./challenge.ts";
import { challengePage, responsePage } from "./challenge-page.ts";

test("the test bank supports the languages of the card form", () => {
  assert.deepEqual(bankLanguages.toSorted(), [...formLanguages].toSorted());
});

test("the page's language is the browser's first language that the test bank supports", () => {
  for (const [header, language] of [
    ["de-AT,de;q=0.9,en;q=0.8", "de"],
    ["sv-SE, PT-BR;q=0.5", "pt"],
    ["constructor", "en"],
    [undefined, "en"],
  ] as const) {
    assert.equal(bankLanguage(header), language);
  }
});

test("the pages that continue automatically have the customer's language", () => {
  const challenge = {
    acsTransactionId: "c1c1c1c1-0000-4000-8000-000000000000",
    threeDSServerTransactionId: "c2c2c2c2-0000-4000-8000-000000000000",
    behavior: "passes",
    notificationUrl: "https://shop.example",
    sessionData: null,
  } as Challenge;
  const { automatic, next, toStore } = bankWords("he");
  const continued = challengePage(challenge, "he");
  const returned = responsePage(challenge, { transStatus: "Y", challengeCancel: null }, "he");
  for (const [page, ...texts] of [
    [continued, automatic, next],
    [returned, toStore],
  ] as const) {
    for (const text of [...texts, '<html lang="he" dir="rtl">'])
      assert.ok(page.includes(text), text);
  }
});

test("the page for a card that is only saved names the card and has no amount", () => {
  const challenge = {
    acsTransactionId: "c1c1c1c1-0000-4000-8000-000000000000",
    behavior: "person_decides",
    merchantName: "Shop",
    last4: "4242",
    amount: "1999",
    currency: "840",
    exponent: 2,
    wrongCodes: 0,
  } as Challenge;
  for (const language of bankLanguages) {
    const { title, cardTitle } = bankWords(language);
    const payment = challengePage(challenge, language);
    const card = challengePage({ ...challenge, amount: "0" }, language);
    assert.ok(payment.includes(`<h1>${title}</h1>`) && payment.includes("USD 19.99"), language);
    assert.ok(card.includes(`<h1>${cardTitle}</h1>`) && !card.includes("USD"), language);
    assert.ok(card.includes(`<title>${cardTitle}</title>`), language);
  }
});
