import assert from "node:assert/strict";
import { test } from "node:test";
import { formLanguages } from "@florin/contract/checkout-session.ts";
import { type Account, newAccount } from "../../identity/accounts/account.ts";
import { plainText } from "../../platform/mail/mail.ts";
import { mailHtml } from "../../platform/mail/mail-html.ts";
import { processingCharge } from "../charges/charge.fixture.ts";
import type { SucceededCharge } from "../charges/charge.ts";
import { newOpenSession } from "../sessions/checkout-session.fixture.ts";
import type { SessionDetails } from "../sessions/checkout-session.ts";
import { type ReceiptRefund, receiptEmail } from "./receipt-email.ts";

const now = new Date("2026-07-01T22:30:00Z");

const account: Account = {
  ...newAccount,
  id: "acct_01kdvtxc00e9m8q2v7z4h6k1sb",
  name: "Kiosk & Co",
  country: "DE",
  profile: {
    ...newAccount.profile,
    supportEmail: "help@kiosk.example",
    supportPhone: "+49 30 123456",
    timeZone: "Europe/Berlin",
    brandColor: "#a8481f",
  },
  version: 1,
};

type Given = {
  readonly details?: Partial<SessionDetails>;
  readonly charge?: Partial<SucceededCharge>;
  readonly refund?: ReceiptRefund;
};

function emailOf({ details = {}, charge = {}, refund }: Given) {
  const scope = { account: account.id, livemode: true };
  const { pendingReason: _, reversalPending: __, ...base } = processingCharge(scope, now);
  const succeeded: SucceededCharge = {
    ...base,
    id: "ch_01kdvtxc00e9m8q2v7z4h6k1sb",
    status: "succeeded",
    finalizedAt: now,
    capturedMinor: 1999,
    refundedMinor: 0,
    disputedMinor: 0,
    statementDescriptor: "KIOSK BERLIN",
    clientReferenceId: "order-7",
    ...charge,
  };
  const session = newOpenSession(scope, now);
  return receiptEmail(
    account,
    {
      charge: succeeded,
      session: { details: { ...session.details, ...details } },
      customer: null,
    },
    refund ?? null,
  );
}

test("a receipt states the payment in the merchant's name and time zone", () => {
  const line_items = [
    { name: "Blue mug", quantity: 2, amount: 500 },
    { name: "\u202eTea\t\n\n\u0007<b>towel</b>\u2067", quantity: 1, amount: 999 },
  ];
  const email = emailOf({ details: { line_items } });
  assert.equal(email.subject, "Receipt from Kiosk & Co #Q2V7-Z4H6-K1SB");
  assert.equal(
    plainText(email),
    `Amount paid: $19.99
Date paid: July 2, 2026 at 12:30 AM GMT+2
Payment method: Visa •••• 4242
On your statement: KIOSK BERLIN
Order: order-7
Receipt number: Q2V7-Z4H6-K1SB

2 × Blue mug: $10.00
Tea <b>towel</b>: $9.99
Total: $19.99

Questions? Contact Kiosk & Co:
help@kiosk.example
+49 30 123456
`,
  );
  assert.deepEqual([email.replyTo, email.brand?.color], ["help@kiosk.example", "#a8481f"]);
  const html = mailHtml({ ...email, to: "ada@example.com" }, "https://pay.example");
  assert.match(html, /<html lang="en" dir="ltr">/);
  assert.match(
    html,
    /<th [^>]*align="left"[^>]*>Tea &lt;b&gt;towel&lt;\/b&gt;<\/th><td [^>]*align="right"[^>]*>\$9\.99<\/td>/,
  );
});

test("a receipt of a partial capture states the captured amount and omits the line items", () => {
  const line_items = [{ name: "Blue mug", quantity: 1, amount: 1999 }];
  const { text } = emailOf({ details: { line_items }, charge: { capturedMinor: 1500 } });
  assert.match(text, /^Amount paid\t\$15\.00$/m);
  assert.doesNotMatch(text, /Blue mug/);
});

test("a receipt of a refund states the refund, and a later receipt of the payment states both", () => {
  const refund = { amountMinor: 500, succeededAt: new Date("2026-07-05T10:00:00Z") };
  const email = emailOf({ refund, charge: { refundedMinor: 700 } });
  assert.equal(email.subject, "Refund from Kiosk & Co #Q2V7-Z4H6-K1SB");
  assert.match(email.text, /^Amount refunded\t\$5\.00\nDate refunded\tJuly 5, 2026/);
  const later = emailOf({ charge: { refundedMinor: 700 } });
  assert.match(later.text, /^Amount paid\t\$19\.99\nAmount refunded\t\$7\.00\n/);
});

test("a receipt of a test payment says so", () => {
  const scope = { account: account.id, livemode: false };
  assert.match(emailOf({ charge: { scope } }).text, /^Test mode: no money was moved\.\n\n/);
});

for (const locale of formLanguages) {
  test(`a receipt in ${locale} has every text, and the direction of the language`, () => {
    const email = emailOf({
      details: { locale },
      charge: { price: { amountMinor: 1999, currency: "eur" } },
    });
    const html = mailHtml({ ...email, to: "ada@example.com" }, "https://pay.example");
    const direction = ["ar", "he"].includes(locale) ? "rtl" : "ltr";
    assert.ok(html.includes(`<html lang="${locale}" dir="${direction}">`));
    assert.ok(email.subject.includes("Kiosk & Co") && email.subject.includes("Q2V7-Z4H6-K1SB"));
    const rows = email.text.split("\n\n")[0]?.split("\n") ?? [];
    assert.equal(rows.length, 6);
    assert.ok(rows.every((row) => /^[^\t]+\t[^\t]+$/.test(row)));
    assert.match(email.text, /•••• 4242/);
  });
}
