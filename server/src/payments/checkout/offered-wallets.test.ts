import assert from "node:assert/strict";
import { test } from "node:test";
import type { OfferedWallet } from "@florin/contract/frame.ts";
import { permissionsPolicy } from "../../platform/http/protect-page.ts";
import { walletOrigins } from "./offered-wallets.ts";

const googlePay = {
  type: "google_pay",
  page_url: "https://wallets.example.com/google_pay/cs_1",
} as OfferedWallet;
const applePay = { type: "apple_pay" } as OfferedWallet;
const testWallet = { type: "test_wallet" } as OfferedWallet;

/** Returns the origins that may open payment sheets, and those that the form may frame. */
function grantsFor(...wallets: OfferedWallet[]): [string | undefined, readonly string[]] {
  const { payment, frames } = walletOrigins(wallets);
  return [/payment=.*$/.exec(permissionsPolicy(payment))?.[0], frames];
}

test("the form may open payment sheets only for the wallets of live mode that it offers", () => {
  assert.deepEqual(grantsFor(), ["payment=()", []]);
  assert.deepEqual(grantsFor(testWallet), ["payment=()", []]);
  assert.deepEqual(grantsFor(testWallet, applePay), ["payment=(self)", []]);
  assert.deepEqual(grantsFor(applePay, googlePay), [
    'payment=(self "https://wallets.example.com")',
    ["https://wallets.example.com"],
  ]);
});
