import assert from "node:assert/strict";
import { test } from "node:test";
import { newId, uuidOf } from "../../src/core/ids.ts";
import { daysFrom } from "../../src/core/utc-day.ts";
import { recordRestore } from "../../src/platform/database/record-restore.ts";
import { startReconciliation } from "../../src/reconciliation/reconciliation.jobs.ts";
import type { Reconciliation } from "../../src/reconciliation/reconciliation.ts";
import { createPerson } from "../person.ts";
import { startShop, until } from "../shop.ts";
import { day } from "../test-clock.ts";
import { testBackground } from "../test-timers.ts";

const visa = { amount: 10_000, currency: "usd", payment_method_id: "pm_card_visa" };

test("every finished day is reconciled automatically, and differences are logged", async () => {
  const own = await startShop({ workers: false });
  try {
    await own.post("/charges", visa);
    const { body } = await own.post("/charges", visa);
    await own.app.database.transaction(
      (tx) =>
        tx`update simulator.authorizations set approved = 1 where reference = ${uuidOf(body.id)}`,
    );
    own.clock.advance(day);
    // Starts the job in the test, so that the test receives the job's reports.
    const reported: Reconciliation[] = [];
    const loop = startReconciliation(
      {
        ...own.app,
        clock: own.clock,
        settlementsOf: () => ({ ...own.simulator, settlesWithinMs: 0 }),
        log: { differences: (one) => reported.push(one) },
      },
      testBackground(),
    );
    const { data } = await until(
      async () => (await own.get("/reconciliations")).body,
      (list) => list.data.length > 0,
    );
    await loop.stop();
    // A charge that was created near midnight is in transit until the next day.
    const isReported = data[0].status === "differences";
    assert.ok(isReported || data[0].status === "in_transit", data[0].status);
    assert.deepEqual(
      reported.map(({ id }) => id),
      isReported ? [data[0].id] : [],
    );
  } finally {
    await own.close();
  }
});

test("merchants without a settlement file do not delay the reconciliation of others, and are retried after a wait", async () => {
  const own = await startShop({ workers: false });
  try {
    await own.post("/charges", visa);
    // More merchants than one query returns. Their IDs are older, so they come first.
    const before = own.clock.now().getTime() - day;
    const others = Array.from({ length: 101 }, (_, index) =>
      newId("acct", new Date(before + index)),
    );
    await own.app.database.transaction(async (tx) => {
      await tx`
        insert into accounts (id, name)
        select other, 'Other' from unnest(${others.map(uuidOf)}::uuid[]) as other`;
      await tx`
        insert into charges (account_id, livemode, id, status, amount, currency, capture_method, processor,
                             payment_method_id, card, decision_outcome, risk_score, claimed_by)
        select other, false, ${uuidOf(newId("ch", own.clock.now()))}, 'processing', 1999, 'usd', 'automatic', 'simulator',
               gen_random_uuid(), '{"brand":"visa","last4":"4242"}', 'approve', 1, 0
          from unnest(${others.map(uuidOf)}::uuid[]) as other`;
    });
    own.clock.advance(day);
    const asked = new Map<string, number>();
    const loop = startReconciliation(
      {
        ...own.app,
        clock: own.clock,
        settlementsOf({ account }) {
          asked.set(account, (asked.get(account) ?? 0) + 1);
          return account === own.merchant.account ? { ...own.simulator, settlesWithinMs: 0 } : null;
        },
        log: { differences: () => undefined },
      },
      testBackground(),
    );
    await until(
      async () => (await own.get("/reconciliations")).body,
      (list) => list.data.length > 0,
    );
    await loop.stop();
    assert.equal(asked.size, others.length + 1);
    assert.deepEqual([...new Set(asked.values())], [1]);
  } finally {
    await own.close();
  }
});

test("after a restore, every day since its moment is reconciled, and operators see what the database has lost", async () => {
  const own = await startShop({ workers: false });
  try {
    const moment = own.clock.now();
    await own.post("/charges", visa);
    // A charge that the acquirer has executed and that the restored database does not contain.
    const lost = newId("ch", moment);
    await own.app.database.transaction(
      (tx) => tx`
        insert into simulator.authorizations
        select (jsonb_populate_record(a, jsonb_build_object('reference', ${uuidOf(lost)}::text))).*
          from simulator.authorizations a`,
    );
    // Advances the clock beyond the days that would be reconciled without a restore.
    own.clock.advance(10 * day);
    const restoredAt = own.clock.now();
    await recordRestore(own.settings.DATABASE_URL as string, { restoredAt, restoredTo: moment });
    const loop = startReconciliation(
      {
        ...own.app,
        clock: own.clock,
        settlementsOf: () => ({ ...own.simulator, settlesWithinMs: 0 }),
        log: { differences: () => undefined },
      },
      testBackground(),
    );
    const operator = await createPerson(own, { operator: true, secondFactor: true });
    const restore = await until(
      async () => (await operator.send("GET", "/operator/v1/health")).body.last_restore,
      (one) => one.days_compared === 11,
    );
    await loop.stop();
    const seconds = [moment, restoredAt].map((time) => Math.floor(time.getTime() / 1000));
    assert.deepEqual([restore.restored_to, restore.restored_at], seconds);
    const { total, data } = restore.differences;
    assert.deepEqual(
      [total, data[0].kind, data[0].reference, data[0].account, data[0].acquirer.amount],
      [1, "missing_here", lost, own.merchant.account, visa.amount],
    );
    const { data: days } = (await own.get("/reconciliations?limit=100")).body;
    const since = daysFrom(moment, restoredAt);
    assert.deepEqual(days.map((one: { day: string }) => one.day).sort(), since);
  } finally {
    await own.close();
  }
});
