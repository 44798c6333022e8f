import assert from "node:assert/strict";
import { test } from "node:test";
import { maxAmount } from "@florin/contract/currency.ts";
import fc from "fast-check";
import { chargeTransfers, feeFor, type LedgerAccount, type Transfer } from "./posting-rules.ts";

const amount = fc.integer({ min: 1, max: maxAmount });
const pricing = fc.record({
  basisPoints: fc.integer({ min: 0, max: 10_000 }),
  fixedMinor: fc.integer({ min: 0, max: 2_147_483_647 }),
});

/** Returns an account's gain: credits minus debits. */
function gain(account: LedgerAccount, transfers: readonly Transfer[]): number {
  return transfers.reduce(
    (sum, { debit, credit, amountMinor }) =>
      sum + (credit === account ? amountMinor : 0) - (debit === account ? amountMinor : 0),
    0,
  );
}

test("a fee is an integer in the smallest unit and never exceeds the payment", () => {
  fc.assert(
    fc.property(amount, pricing, (amountMinor, price) => {
      const fee = feeFor(amountMinor, price);
      assert.ok(Number.isSafeInteger(fee) && fee >= 0 && fee <= amountMinor, String(fee));
    }),
  );
});

test("the fee does not decrease with the amount", () => {
  fc.assert(
    fc.property(amount, amount, pricing, (one, other, price) => {
      const [smaller, larger] = one < other ? [one, other] : [other, one];
      assert.ok(feeFor(smaller, price) <= feeFor(larger, price));
    }),
  );
});

test("2.9 % and 30 cents of $19.99 is 88 cents, and half a cent rounds up", () => {
  const usual = { basisPoints: 290, fixedMinor: 30 };
  assert.equal(feeFor(1999, usual), 88);
  assert.equal(feeFor(50, { basisPoints: 100, fixedMinor: 0 }), 1);
  assert.equal(feeFor(49, { basisPoints: 100, fixedMinor: 0 }), 0);
});

test("what the acquirer owes equals what we owe the merchant plus our fee", () => {
  fc.assert(
    fc.property(amount, pricing, (amountMinor, price) => {
      const transfers = chargeTransfers(amountMinor, price);
      const fee = feeFor(amountMinor, price);
      assert.equal(gain("acquirer_receivable", transfers), -amountMinor);
      assert.equal(gain("merchant_balance", transfers), amountMinor - fee);
      assert.equal(gain("fee_income", transfers), fee);
    }),
  );
});

test("a transfer moves a positive amount between two accounts, and a zero amount makes no transfer", () => {
  fc.assert(
    fc.property(amount, pricing, (amountMinor, price) => {
      for (const transfer of chargeTransfers(amountMinor, price)) {
        assert.ok(transfer.amountMinor > 0);
        assert.notEqual(transfer.debit, transfer.credit);
      }
    }),
  );
  assert.deepEqual(
    chargeTransfers(1999, { basisPoints: 0, fixedMinor: 0 }).map(({ kind }) => kind),
    ["charge"],
  );
});
