import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compare, cutOffMs } from "./compare.ts";
import type { ReconciledObject, Side } from "./reconciled-object.ts";

const until = new Date("2026-02-01T00:00:00Z");
const longBefore = new Date(until.getTime() - 10 * cutOffMs);

const agreeing: ReconciledObject = {
  noun: "charge",
  subject: "01900000-0000-7000-8000-000000000001",
  reference: "ch_1",
  payment: { state: "succeeded", amount: 1999, currency: "usd" },
  acquirer: {
    state: "settled",
    amount: 1999,
    currency: "usd",
    repeated: false,
    newestAt: longBefore,
  },
  ledger: { state: "posted", amount: 1999, currency: "usd" },
  announced: true,
  undecided: false,
  justMoved: false,
};
const reported = (change: Partial<ReconciledObject>) =>
  compare({ ...agreeing, ...change }, until).map(({ kind, status }) => `${kind} ${status}`);
const canceled: Side = { state: "canceled", amount: 0, currency: "usd" };
const paid = agreeing.acquirer as NonNullable<ReconciledObject["acquirer"]>;

test("when all sides agree there is no difference", () => {
  assert.deepEqual(reported({}), []);
});

test("an object that no side has captured, or that both have reversed, agrees", () => {
  const nothing = { payment: canceled, ledger: null };
  assert.deepEqual(reported({ ...nothing, acquirer: null }), []);
  assert.deepEqual(reported({ ...nothing, acquirer: { ...paid, amount: 0 } }), []);
});

test("each kind of difference has its own name", () => {
  const euros = { ...paid, currency: "eur" } as const;
  for (const [change, expected] of [
    [{ acquirer: null }, "missing_at_acquirer open"],
    [{ payment: null, ledger: null }, "missing_here open"],
    [{ acquirer: { ...paid, amount: 1998 } }, "amount_differs open"],
    [{ acquirer: euros }, "currency_differs open"],
    [{ acquirer: { ...paid, amount: 0 } }, "state_differs open"],
    [{ payment: canceled, ledger: null }, "state_differs open"],
    [{ acquirer: { ...paid, repeated: true } }, "duplicate_line open"],
    [{ ledger: null }, "ledger_missing open"],
    [{ ledger: { state: "posted", amount: 1, currency: "usd" } }, "ledger_differs open"],
    [{ ledger: { state: "posted", amount: 1999, currency: "eur" } }, "ledger_differs open"],
    [{ payment: null }, "ledger_unexplained open"],
    [{ announced: false }, "event_missing open"],
  ] as const) {
    assert.deepEqual(reported(change), [expected]);
  }
});

test("a recent change may be in transit to the acquirer, but never between payment and ledger", () => {
  const late = new Date(until.getTime() - cutOffMs);
  assert.deepEqual(reported({ acquirer: null, justMoved: true }), [
    "missing_at_acquirer in_transit",
  ]);
  const other = { ...paid, amount: 1998 };
  assert.deepEqual(reported({ acquirer: other, undecided: true }), ["amount_differs in_transit"]);
  assert.deepEqual(reported({ acquirer: { ...other, newestAt: late } }), [
    "amount_differs in_transit",
  ]);
  assert.deepEqual(reported({ acquirer: { ...paid, repeated: true, newestAt: late } }), [
    "duplicate_line open",
  ]);
  // Florin commits a charge before it sends the request. A dispute can be posted before Florin is notified.
  const unknown = { payment: null, ledger: null, acquirer: { ...paid, newestAt: late } };
  assert.deepEqual(reported(unknown), ["missing_here open"]);
  assert.deepEqual(reported({ ...unknown, noun: "dispute" }), ["missing_here in_transit"]);
  assert.deepEqual(reported({ ledger: null, undecided: true, justMoved: true }), [
    "ledger_missing open",
  ]);
});

test("no difference means that payment, acquirer and ledger agree, for any input", () => {
  const amount = fc.constantFrom(-500, 0, 1999, 2000);
  const currency = fc.constantFrom("usd" as const, "eur" as const);
  const side = fc.option(fc.record({ state: fc.constant("x"), amount, currency }));
  const acquirerSide = fc.option(
    fc.record({
      state: fc.constant("settled"),
      amount,
      currency,
      repeated: fc.boolean(),
      newestAt: fc.constantFrom(longBefore, until),
    }),
  );
  fc.assert(
    fc.property(
      side,
      acquirerSide,
      side,
      fc.boolean(),
      fc.boolean(),
      (payment, acquirer, ledger, announced, moving) => {
        const subject: ReconciledObject = {
          ...agreeing,
          payment,
          acquirer,
          ledger,
          announced,
          undecided: moving,
        };
        if (compare(subject, until).length > 0) return;
        const paymentAmount = payment?.amount ?? 0;
        assert.equal(acquirer?.amount ?? 0, paymentAmount);
        assert.equal(ledger?.amount ?? 0, paymentAmount);
        assert.ok(announced || !payment);
        if (paymentAmount !== 0)
          assert.deepEqual(
            [acquirer?.currency, ledger?.currency],
            [payment?.currency, payment?.currency],
          );
      },
    ),
    { numRuns: 2_000 },
  );
});
