import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type ChargeId, uuidOf } from "../../src/core/ids.ts";
import { printReport } from "../../src/insights/verify/print-report.ts";
import { verify } from "../../src/insights/verify/verify.ts";
import { type Shop, startShop, until } from "../shop.ts";

const captured = 1999;
const visa = { amount: captured, currency: "usd", payment_method_id: "pm_card_visa" };

/** Returns the ledger's total of refunds and disputes of a charge, less failed refunds and reversed disputes. */
async function paidOutByLedger(shop: Shop, charge: ChargeId): Promise<number> {
  const [row] = await shop.app.database.read<{ amount: number }>`
    with own as (
      select id from operations where charge_id = ${uuidOf(charge)}
       union all
      select id from disputes where charge_id = ${uuidOf(charge)}
    )
    select coalesce(sum(case when debit = 'merchant_balance' then amount when credit = 'merchant_balance' then -amount end), 0)::bigint as amount
      from ledger_transfers
     where source_id in (select id from own)
       and kind in ('refund', 'refund_failure', 'dispute', 'dispute_reversal')`;
  return row?.amount ?? 0;
}

/**
 * Requests refunds and disputes simultaneously, for three times the captured amount in total. Even rounds start the
 * refunds first, odd rounds the disputes.
 */
async function requestTooMuch(shop: Shop, round: number): Promise<ChargeId> {
  const [refundAfterMs, disputeAfterMs] = round % 2 ? [30, 0] : [0, 2];
  const charge = (await shop.post("/charges", visa)).body.id as ChargeId;
  const about = { account: shop.merchant.account, reference: charge };
  const details = { amountMinor: 400, reason: "general", isInquiry: false } as const;
  await Promise.all([
    ...Array.from({ length: 20 }, (_, index) =>
      sleep(refundAfterMs && index * 3).then(() =>
        shop.post("/refunds", { charge_id: charge, amount: 150 }),
      ),
    ),
    ...Array.from({ length: round % 2 ? 4 : 8 }, (_, index) =>
      sleep(index * disputeAfterMs).then(() => shop.simulator.openDispute(about, details)),
    ),
  ]);
  // The simulated card network repeats rejected notifications. Waits until the service has accepted every notification.
  await until(
    () => shop.app.database.read`select 1 from simulator.cases where notify_at is not null`,
    (undelivered) => undelivered.length === 0,
  );
  return charge;
}

async function assertWithinCaptured(shop: Shop, charge: ChargeId): Promise<void> {
  const after = (await shop.get(`/charges/${charge}`)).body;
  const back = after.amount_refunded + after.amount_disputed;
  assert.equal(
    back,
    await paidOutByLedger(shop, charge),
    "the charge and the ledger have the same amount",
  );
  assert.ok(back <= captured, `refunded and disputed ${back} of ${captured}`);
  // The requests exceeded the captured amount, so the amount that is left must be smaller than one refund (150).
  assert.ok(back > captured - 150, `refunded and disputed ${back} of ${captured}`);
}

for (const [what, prepare] of [
  ["", async () => undefined],
  [
    ", even without the CHECK constraint",
    (shop: Shop) =>
      shop.app.database.transaction(
        (tx) => tx`alter table charges drop constraint charges_refunds_within_captured`,
      ),
  ],
] as const) {
  test(`refunds and disputes on one charge together never pay out more than was captured${what}`, async () => {
    const shop = await startShop();
    after(() => shop.close());
    await prepare(shop);
    for (let round = 0; round < 6; round++)
      await assertWithinCaptured(shop, await requestTooMuch(shop, round));
    const report = await verify(shop.app.database);
    assert.equal(report.violations, 0, printReport(report));
  });
}

let shop: Shop;
before(async () => {
  shop = await startShop();
});
after(() => shop.close());

test("the CHECK constraint rejects refunds plus disputes above the captured amount", async () => {
  const charge = (await shop.post("/charges", visa)).body.id as ChargeId;
  await shop.post("/refunds", { charge_id: charge, amount: 1_000 });
  await assert.rejects(
    shop.app.database.transaction(
      (tx) => tx`update charges set amount_disputed = 1000 where id = ${uuidOf(charge)}`,
    ),
    /charges_refunds_within_captured/,
  );
});
