import assert from "node:assert/strict";
import { test } from "node:test";
import { signedAmount, type Transfer, totalsOf } from "./payment-ledger.ts";

function transfer(
  kind: string,
  debit: Transfer["debit"],
  credit: Transfer["credit"],
  amount: number,
): Transfer {
  const entry = { balance_transaction_id: "txn_1", source: "ch_1", created: 0 } as const;
  return { ...entry, kind, debit, credit, amount, currency: "usd" };
}

const charge = transfer("charge", "acquirer_receivable", "merchant_balance", 9_600);
const fee = transfer("fee", "merchant_balance", "fee_income", 308);
const refund = transfer("refund", "merchant_balance", "acquirer_receivable", 2_500);

test("a transfer out of the merchant's balance is negative", () => {
  assert.deepEqual([charge, fee, refund].map(signedAmount), [9_600, -308, -2_500]);
});

test("the net amount of a payment is what remains after refunds and fees", () => {
  assert.deepEqual(totalsOf([charge, fee, refund]), { fees: -308, net: 6_792 });
});

test("a returned fee and a transfer between other accounts do not reduce the net amount", () => {
  const returned = transfer("fee_return", "fee_income", "merchant_balance", 100);
  const settled = transfer("settlement", "bank", "acquirer_receivable", 9_600);
  assert.deepEqual(totalsOf([charge, fee, returned, settled]), { fees: -208, net: 9_392 });
});

test("a payment in several currencies has no net amount", () => {
  assert.equal(totalsOf([charge, { ...fee, currency: "eur" }]), null);
});
