import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { closeChecked } from "../../../test/close-checked.ts";
import { startShop } from "../../../test/shop.ts";
import { day, hour } from "../../../test/test-clock.ts";
import { dose } from "../../../test/test-size.ts";
import { oneTurnOf } from "../../../test/test-timers.ts";
import { type AccountId, newId, uuidOf } from "../../core/ids.ts";
import type { SecretKey } from "../../identity/api-keys/key-text.ts";
import { bindTag } from "../../platform/database/sql.ts";
import { transfer } from "../ledger/posting-rules.ts";
import { readBalance } from "./balance.sql.ts";
import { updateCheckpoints } from "./checkpoint.jobs.ts";

// Background workers are off, so that the test controls when checkpoints are created.
const shop = await startShop({ workers: false });
after(() => closeChecked(shop));
const { database } = shop.app;

const visa = { amount: 10_000, currency: "usd", payment_method_id: "pm_card_visa" };
const checkpointPosition = async () =>
  (await database.read<{ position: number }>`select position from balance_checkpoint_progress`)[0]
    ?.position ?? 0;

/** Computes the balance from every ledger row and the capture time of each payment, without checkpoints. */
async function sumLedger(account: AccountId) {
  return database.read<{ currency: string; total: number; pending: number }>`
    select t.currency,
           sum(case when credit = 'merchant_balance' then t.amount when debit = 'merchant_balance' then -t.amount else 0 end)::bigint as total,
           coalesce(sum(case when credit = 'merchant_balance' then t.amount when debit = 'merchant_balance' then -t.amount else 0 end)
             filter (where c.id is not null
                       and date_trunc('hour', c.finalized_at, 'UTC') + make_interval(days => a.settlement_days) > ${shop.clock.now()}), 0)::bigint as pending
      from ledger_transfers t
      join accounts a on a.id = t.account_id
      left join charges c on c.account_id = t.account_id and c.livemode = t.livemode and c.id = t.entry_id
     where t.account_id = ${uuidOf(account)}
     group by t.currency order by t.currency`;
}

async function assertBalanceEqualsLedger(account: AccountId): Promise<void> {
  const scope = { account, livemode: false };
  const read = await readBalance(database.read, scope, shop.clock.now());
  assert.deepEqual(
    read.map(({ currency, availableMinor, pendingMinor }) => ({
      currency,
      total: availableMinor + pendingMinor,
      pending: pendingMinor,
    })),
    await sumLedger(account),
  );
}

/** Checks that the pending and available balance equal the sums of the transactions. */
async function assertBalanceEqualsTransactions(sent: { as: SecretKey }): Promise<void> {
  const { body: balance } = await shop.get("/balance", sent);
  const { body: list } = await shop.get("/balance_transactions?limit=100", sent);
  for (const status of ["pending", "available"] as const) {
    for (const { currency, amount } of balance[status]) {
      const own = list.data.filter(
        (one: { currency: string; status: string }) =>
          one.currency === currency && one.status === status,
      );
      const sum = own.reduce((total: number, { net }: { net: number }) => total + net, 0);
      assert.equal(sum, amount, `${status} ${currency}`);
    }
  }
}

const step = fc.oneof(
  fc.record({
    does: fc.constant("pay" as const),
    amount: fc.integer({ min: 50, max: 9_000 }),
    currency: fc.constantFrom("usd", "jpy"),
  }),
  fc.record({ does: fc.constant("hold" as const), amount: fc.integer({ min: 50, max: 9_000 }) }),
  fc.record({ does: fc.constant("capture" as const) }),
  fc.record({ does: fc.constant("refund" as const), amount: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ does: fc.constant("dispute" as const) }),
  fc.record({ does: fc.constant("update checkpoints" as const) }),
  fc.record({ does: fc.constant("wait" as const), hours: fc.integer({ min: 1, max: 40 }) }),
  fc.record({
    does: fc.constant("let_time_pass" as const),
    hours: fc.integer({ min: 1, max: 40 }),
  }),
);

test("the balance equals the ledger after any operations and checkpoints", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
      const { account, key } = await shop.createMerchant();
      const sent = { as: key };
      const held: string[] = [];
      const paid: string[] = [];
      for (const one of steps) {
        if (one.does === "pay") {
          paid.push(
            (
              await shop.post(
                "/charges",
                { ...visa, amount: one.amount, currency: one.currency },
                sent,
              )
            ).body.id,
          );
        } else if (one.does === "hold") {
          held.push(
            (
              await shop.post(
                "/charges",
                { ...visa, amount: one.amount, capture_method: "manual" },
                sent,
              )
            ).body.id,
          );
        } else if (one.does === "capture") {
          const id = held.pop();
          if (id && (await shop.post(`/charges/${id}/capture`, {}, sent)).status === 200)
            paid.push(id);
        } else if (one.does === "refund") {
          if (paid[0])
            await shop.post("/refunds", { charge_id: paid[0], amount: one.amount }, sent);
        } else if (one.does === "dispute") {
          const id = paid.at(-1);
          if (id) await shop.post("/test_helpers/disputes", { charge_id: id }, sent);
        } else if (one.does === "update checkpoints") await updateCheckpoints(database);
        else if (one.does === "wait") shop.clock.advance(one.hours * hour);
        else
          await shop.post(
            "/test_helpers/clock/advance",
            { seconds: (one.hours * hour) / 1000 + 7 },
            sent,
          );
        await assertBalanceEqualsLedger(account);
      }
      await updateCheckpoints(database);
      await assertBalanceEqualsLedger(account);
      await assertBalanceEqualsTransactions(sent);
    }),
    { numRuns: dose("sequences", { short: 10, long: 500 }) },
  );
});

test("the checkpoints wait for a transfer that commits late, and the balance includes it afterwards", async () => {
  const { account, key } = await shop.createMerchant();
  const scope = { account, livemode: false };
  const slow = await database.connect();
  try {
    await slow.query("begin");
    const id = newId("txn", shop.clock.now());
    const { kind, debit, credit, amountMinor } = transfer("refund_failure", 700);
    await bindTag(slow)`
      insert into ledger_transfers (account_id, livemode, entry_id, line, kind, debit, credit, amount, currency, source_id)
      values (${uuidOf(account)}, false, ${uuidOf(id)}, 1, ${kind}, ${debit}, ${credit}, ${amountMinor}, 'usd',
              ${uuidOf(id)})`;
    const through = await checkpointPosition();
    // Other transactions take later sequence positions and commit first.
    await shop.post("/charges", visa, { as: key });
    const updating = updateCheckpoints(database);
    await sleep(150);
    assert.equal(await checkpointPosition(), through);
    await assertBalanceEqualsLedger(account);
    await slow.query("commit");
    await updating;
    assert.ok((await checkpointPosition()) > through);
    await assertBalanceEqualsLedger(account);
    const [usd] = await readBalance(database.read, scope, shop.clock.now());
    assert.equal(usd?.availableMinor, 700);
    // Removes the transfer that has no charge or refund, so that the final ledger check passes.
    await database.transaction(
      (tx) =>
        tx`delete from ledger_transfers where account_id = ${uuidOf(account)} and entry_id = ${uuidOf(id)}`,
    );
    await database.transaction(
      (tx) =>
        tx`update balance_checkpoints set amount = amount - 700 where account_id = ${uuidOf(account)} and captured_hour = '-infinity'`,
    );
  } finally {
    await slow.end();
  }
});

test("concurrent payments and checkpoints never show a balance that differs from the ledger", async () => {
  const { account, key } = await shop.createMerchant();
  let isOver = false;
  const updating = (async () => {
    while (!isOver) await Promise.all([updateCheckpoints(database), updateCheckpoints(database)]);
  })();
  const watched = (async () => {
    while (!isOver) {
      const [row] = await database.read<{ same: boolean }>`
        with total as (
          select sum(case when credit = 'merchant_balance' then amount else -amount end) as amount
            from ledger_transfers
           where account_id = ${uuidOf(account)} and 'merchant_balance'::ledger_account in (credit, debit)
        ),
        fast as (
          select coalesce((select sum(amount) from balance_checkpoints where account_id = ${uuidOf(account)}), 0)
               + coalesce((select sum(case when credit = 'merchant_balance' then amount else -amount end)
                             from ledger_transfers
                            where account_id = ${uuidOf(account)} and 'merchant_balance'::ledger_account in (credit, debit)
                              and position > (select position from balance_checkpoint_progress)), 0) as amount
        )
        select coalesce(total.amount, 0) = fast.amount as same from total, fast`;
      assert.ok(row?.same);
    }
  })();
  for (let round = 0; round < 3; round++) {
    await Promise.all(Array.from({ length: 24 }, () => shop.post("/charges", visa, { as: key })));
  }
  isOver = true;
  await Promise.all([updating, watched]);
  await updateCheckpoints(database);
  await assertBalanceEqualsLedger(account);
  const [usd] = await readBalance(database.read, { account, livemode: false }, shop.clock.now());
  assert.equal(usd?.pendingMinor, 3 * 24 * 9_680);
});

test("hourly sums are merged after their payments have become available, without changing the balance", async () => {
  const { account, key } = await shop.createMerchant();
  await shop.post("/charges", visa, { as: key });
  await updateCheckpoints(database);
  shop.clock.advance(33 * day);
  const { startCheckpoints } = await import("./checkpoint.jobs.ts");
  await oneTurnOf((background) => startCheckpoints({ database, clock: shop.clock }, background));
  const checkpoints = await database.read<{ captured_hour: unknown; amount: number }>`
    select captured_hour::text as captured_hour, amount from balance_checkpoints where account_id = ${uuidOf(account)}`;
  assert.deepEqual(checkpoints, [{ captured_hour: "-infinity", amount: 9_680 }]);
  await assertBalanceEqualsLedger(account);
});
