import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { measureBlockMs } from "../../../test/event-loop-block.ts";
import { slowed } from "../../../test/slowness.ts";
import type { AcquirerClient, AcquirerRequest } from "../acquirer-client.ts";
import { AcquirerSecret } from "../connections/connection-secrets.ts";
import { fetchPayout } from "./payout-report.ts";

const pageSize = 100;

/** Returns a client whose acquirer lists `pages` pages of movements, newest first. */
function listOf(pages: number): AcquirerClient & { readonly sent: AcquirerRequest[] } {
  const sent: AcquirerRequest[] = [];
  return {
    sent,
    async send(request) {
      const page = sent.push(request) - 1;
      await setImmediate();
      const data = Array.from({ length: pageSize }, (_, index) =>
        movement(page * pageSize + index, pages * pageSize),
      );
      const body = JSON.stringify({ object: "list", data, has_more: page < pages - 1 });
      return { kind: "response", response: { status: 200, headers: {}, body } };
    },
    close: async () => {},
  };
}

/** The newest movement is the payout of all others. */
function movement(index: number, count: number) {
  const net = index === 0 ? -990 * (count - 1) : 990;
  return {
    id: `txn_${index}`,
    created: 1_790_000_000 - index,
    currency: "usd",
    reporting_category: index === 0 ? "payout" : "charge",
    amount: index === 0 ? net : 1_000,
    net,
    fee: index === 0 ? 0 : 10,
    source:
      index === 0
        ? { object: "payout", id: "po_1" }
        : { object: "charge", id: `ch_${index}`, currency: "usd", payment_intent: `pi_${index}` },
  };
}

/** Returns a client whose acquirer lists these movements. */
function listing(data: readonly object[]): AcquirerClient {
  const body = JSON.stringify({ object: "list", data, has_more: false });
  return {
    send: async () => ({ kind: "response", response: { status: 200, headers: {}, body } }),
    close: async () => {},
  };
}

test("a partial capture in another currency is read as the authorized amount and the return of the rest", async () => {
  const charge = {
    object: "charge",
    id: "ch_1",
    amount: 2_000,
    amount_captured: 1_500,
    currency: "eur",
    payment_intent: "pi_1",
    metadata: { florin_charge: "ch_01jbqw3e4r5t6y7z8x9cvbnmas" },
  };
  const refund = {
    object: "refund",
    id: "re_1",
    amount: 500,
    currency: "eur",
    payment_intent: "pi_1",
    charge,
    metadata: {},
  };
  const common = { created: 1_790_000_000, currency: "usd", exchange_rate: 1.1 };
  const movements = [
    { reporting_category: "charge", amount: 2_200, net: 2_100, fee: 100, source: charge },
    {
      reporting_category: "partial_capture_reversal",
      amount: -550,
      net: -530,
      fee: -20,
      source: refund,
    },
    {
      reporting_category: "payout",
      amount: -1_570,
      net: -1_570,
      fee: 0,
      source: { object: "payout", id: "po_1" },
    },
  ];
  const client = listing(
    movements.toReversed().map((one, index) => ({ ...common, ...one, id: `txn_${index}` })),
  );
  const secretKey = new AcquirerSecret("sk_test_1");
  const access = { client, secretKey, connectedAccount: null, account: "acct_1" };
  const fetched = await fetchPayout(access, "po_1");
  assert(fetched.kind === "fetched");
  const { lines, problem } = fetched.report;
  assert.equal(problem, null);
  assert.deepEqual(
    lines.flatMap((line) =>
      line.kind === "transaction"
        ? [[line.settlementType, line.gross.amountMinor, line.gross.currency, line.charge]]
        : [],
    ),
    [
      ["capture", 2_000, "eur", charge.metadata.florin_charge],
      ["capture_reversal", -500, "eur", charge.metadata.florin_charge],
    ],
  );
});

test("fees in ISK, whose amounts have two decimals only at Stripe, are rounded without changing the sum", async () => {
  const charges = [123_700, 99_900].map((amount, index) => {
    const fee = Math.round(amount * 0.029);
    const source = { object: "charge", id: `ch_${index}`, currency: "isk", metadata: {} };
    return { reporting_category: "charge", amount, net: amount - fee, fee, source };
  });
  const paid = charges.reduce((sum, { net }) => sum + net, 0);
  const payout = { reporting_category: "payout", amount: -paid, net: -paid, fee: 0, source: {} };
  const client = listing(
    [payout, ...charges].map((one, index) => ({
      id: `txn_${index}`,
      created: 1_790_000_000,
      currency: "isk",
      ...one,
    })),
  );
  const secretKey = new AcquirerSecret("sk_test_1");
  const access = { client, secretKey, connectedAccount: null, account: "acct_1" };
  const fetched = await fetchPayout(access, "po_1");
  assert(fetched.kind === "fetched");
  const { lines, problem } = fetched.report;
  assert.equal(problem, null);
  assert.deepEqual(
    lines.map((line) => [
      line.net.amountMinor,
      line.kind === "transaction" && [line.gross.amountMinor, line.feeMinor],
    ]),
    [
      [970, [999, 29]],
      [1_201, [1_237, 36]],
      [-2_171, false],
    ],
  );
});

test("a payout with many movements is read without blocking the event loop", async (t) => {
  const pages = 300;
  const client = listOf(pages);
  const secretKey = new AcquirerSecret("sk_test_1");
  const access = { client, secretKey, connectedAccount: null, account: "acct_1" };
  const blockMs = await measureBlockMs(async () => {
    const fetched = await fetchPayout(access, "po_1");
    assert(fetched.kind === "fetched");
    const { lines, problem } = fetched.report;
    assert.deepEqual([lines.length, problem], [pages * pageSize, null]);
    assert.deepEqual([lines[0]?.line, lines.at(-1)?.line], [1, pages * pageSize]);
    assert.deepEqual(lines.at(-1)?.typeText, "MerchantPayout");
  });
  assert.match(client.sent[2]?.path ?? "", /starting_after=txn_199$/);
  t.diagnostic(`${blockMs.toFixed(1)} ms`);
  assert.ok(blockMs <= slowed(60), `${blockMs} ms`);
});
