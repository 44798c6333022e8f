import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type AccountId, uuidOf } from "../../src/core/ids.ts";
import { dayOf } from "../../src/core/utc-day.ts";
import type { SecretKey } from "../../src/identity/api-keys/key-text.ts";
import { updateCheckpoints } from "../../src/payments/balance/checkpoint.jobs.ts";
import { createScheduledPayouts } from "../../src/payments/payouts/create-payout.ts";
import type { Tx } from "../../src/platform/database/sql.ts";
import { createCardholder } from "../cardholder.ts";
import { createCheckout, createSetup } from "../checkout.ts";
import { closeChecked } from "../close-checked.ts";
import { countLockWaits, queueBehind } from "../queue-behind.ts";
import { errorOf, startShop, until } from "../shop.ts";
import { day } from "../test-clock.ts";

const shop = await startShop();
after(() => closeChecked(shop));

const visa = { amount: 10_000, currency: "usd", payment_method_id: "pm_card_visa" };
const advanceDays = (days: number, sent = {}) =>
  shop.post("/test_helpers/clock/advance", { seconds: days * 86_400 }, sent);
const read = async (path: string) => (await shop.get(path)).body;
const waitForStatus = (path: string, status: string) =>
  until(
    () => read(path),
    (body) => body.status === status,
  );

test("200: after two days the money of a payment is available", async () => {
  await shop.post("/charges", visa);
  assert.equal((await read("/balance")).available[0].amount, 0);
  const { status, body } = await advanceDays(2);
  assert.deepEqual(
    [status, body],
    [200, { object: "test_clock", livemode: false, advanced_by: 172_800 }],
  );
  assert.equal((await read("/balance")).available[0].amount, 9_680);
});

test("200: after a week authorizations and sessions have expired, and after two a dispute is lost", async () => {
  const held = (await shop.post("/charges", { ...visa, capture_method: "manual" })).body.id;
  const { session } = (await shop.post("/checkout_sessions", { amount: 500, currency: "usd" }))
    .body;
  const paid = (await shop.post("/charges", visa)).body.id;
  const dispute = (await shop.post("/test_helpers/disputes", { charge_id: paid })).body.id;
  await advanceDays(7);
  await waitForStatus(`/charges/${held}`, "canceled");
  await waitForStatus(`/checkout_sessions/${session.id}`, "expired");
  assert.equal((await read(`/disputes/${dispute}`)).status, "needs_response");
  await advanceDays(7);
  await waitForStatus(`/disputes/${dispute}`, "lost");
});

test("200: a decision expires after half an hour, and a superseded one stays superseded", async () => {
  const customer_id = (await shop.post("/customers", {})).body.id;
  const requested = { ...visa, customer_id };
  const request = async () => (await shop.post("/decisions", requested)).body.id;
  const statusOf = async (id: string) => (await read(`/decisions/${id}`)).status;
  const [older, newer] = [await request(), await request()];
  await shop.post("/test_helpers/clock/advance", { seconds: 1_700 });
  assert.deepEqual([await statusOf(older), await statusOf(newer)], ["superseded", "active"]);
  await shop.post("/test_helpers/clock/advance", { seconds: 101 });
  assert.deepEqual([await statusOf(older), await statusOf(newer)], ["superseded", "expired"]);
  const late = await shop.post("/charges", { ...requested, decision_id: newer });
  assert.deepEqual(errorOf(late).slice(2), ["decision_expired", "decision_id"]);
  const newest = await request();
  assert.deepEqual([await statusOf(newer), await statusOf(newest)], ["expired", "active"]);
});

test("200: the clock advances for one merchant only", async () => {
  const as = shop.otherMerchant.key;
  const held = (await shop.post("/charges", { ...visa, capture_method: "manual" }, { as })).body;
  await advanceDays(30);
  assert.deepEqual((await shop.get(`/charges/${held.id}`, { as })).body, held);
});

test("200: a repeated key advances the clock once", async () => {
  const held = (await shop.post("/charges", { ...visa, capture_method: "manual" })).body;
  await advanceDays(3, { key: "three days" });
  await advanceDays(3, { key: "three days" });
  const after = await read(`/charges/${held.id}`);
  assert.deepEqual(
    [after.status, held.capture_before - after.capture_before],
    ["authorized", 3 * 86_400],
  );
});

test("200: the scheduled payouts of consecutive days move, in whichever order the database updates them", async () => {
  const { account, key: as } = await shop.createMerchant();
  const { database } = shop.app;
  // Inserts the payout of the later day first, so that the database also updates it first.
  for (const day of ["2026-03-02", "2026-02-27"]) {
    await shop.post("/charges", visa, { as });
    await advanceDays(2, { as });
    const scope = { account, livemode: false };
    await database.transaction((tx) => createScheduledPayouts(tx, scope, day, shop.clock.now()));
  }
  const days = async () => {
    const rows = await database.read<{ day: string }>`
      select day::text from payouts where account_id = ${uuidOf(account)} order by id`;
    return rows.map(({ day }) => day);
  };
  const waitUntilAll = (isReached: (status: string) => boolean) =>
    until(
      async () => (await shop.get("/payouts", { as })).body.data,
      (list: { status: string }[]) => list.every(({ status }) => isReached(status)),
    );
  await waitUntilAll((status) => status !== "pending");
  assert.deepEqual(await days(), ["2026-02-28", "2026-02-27"]);
  assert.equal((await advanceDays(1, { as })).status, 200);
  assert.deepEqual(await days(), ["2026-02-27", "2026-02-26"]);
  await waitUntilAll((status) => status === "paid");
});

test("200: each of two advances within a minute pays out the day's balance, and a payout keeps its payments", async () => {
  const { key: as } = await shop.createMerchant();
  await shop.post("/account", { payout_schedule: "daily" }, { as });
  const payouts = async () => (await shop.get("/payouts", { as })).body.data;
  const paid: string[] = [];
  for (const count of [1, 2]) {
    paid.push((await shop.post("/charges", visa, { as })).body.id);
    assert.equal((await advanceDays(3, { as })).status, 200);
    const listed = await payouts();
    assert.deepEqual(
      listed.map(({ automatic, amount }: { automatic: boolean; amount: number }) => [
        automatic,
        amount,
      ]),
      Array(count).fill([true, 9_680]),
    );
  }
  const [second, first] = await payouts();
  for (const [payout, charge] of [
    [first, paid[0]],
    [second, paid[1]],
  ]) {
    const { data } = (await shop.get(`/charges?payout_id=${payout.id}`, { as })).body;
    assert.deepEqual(
      data.map(({ id }: { id: string }) => id),
      [charge],
    );
  }
});

test("200: an abandoned authentication and an abandoned verification time out when the clock advances", async () => {
  const browser = await createCheckout(shop, {});
  await browser.pay("4000002760003184");
  const challenged = (await browser.readSession()).body;
  assert.equal(challenged.status, "requires_action");
  await createCardholder(shop, challenged.next_action.url).begin();
  const { id: customer_id } = (await shop.post("/customers", {})).body;
  const setup = await createSetup(shop, { customer_id });
  await setup.pay("4000002760003184");
  assert.equal((await setup.readSession()).body.status, "requires_action");
  await shop.post("/test_helpers/clock/advance", { seconds: 3_600 });
  for (const { readSession } of [browser, setup]) {
    const ended = await until(
      async () => (await readSession()).body,
      ({ status }) => status !== "requires_action",
    );
    assert.equal(ended.last_payment_error?.decline_code, "authentication_timed_out");
  }
});

test("200: while one merchant's clock advance waits for a lock, other merchants' requests succeed", async () => {
  const { key: as } = await shop.createMerchant();
  const held = (await shop.post("/charges", { ...visa, capture_method: "manual" }, { as })).body;
  const before = await read("/account");
  let moved: Promise<unknown> = Promise.resolve();
  await shop.app.database.transaction(async (tx) => {
    await tx`select from charges where id = ${uuidOf(held.id)} for update`;
    moved = Promise.all(
      Array.from({ length: 32 }, () =>
        shop.post("/test_helpers/clock/advance", { seconds: 60 }, { as }),
      ),
    );
    await sleep(200);
    assert.deepEqual(await read("/account"), before);
  });
  await moved;
});

test("400: the clock advances only forwards and only in test mode", async () => {
  assert.equal(errorOf(await advanceDays(0))[2], "parameter_invalid");
  assert.equal(errorOf(await advanceDays(-1))[2], "parameter_invalid");
  const live = (await shop.issueKey(shop.merchant.account, true)).secret;
  assert.equal(errorOf(await advanceDays(1, { as: live }))[2], "livemode_mismatch");
});

test("200: a payout keeps its payments when the clock advances them past 30 days", async () => {
  const { key: as } = await shop.createMerchant();
  await shop.post("/account", { payout_schedule: "daily" }, { as });
  const paid: string[] = [];
  for (const days of [3, 27.5, 10, 13]) {
    paid.unshift((await shop.post("/charges", visa, { as })).body.id);
    assert.equal((await advanceDays(days, { as })).status, 200);
  }
  const payouts = await until(
    async (): Promise<{ id: string; status: string }[]> =>
      (await shop.get("/payouts", { as })).body.data,
    (list) => list.every(({ status }) => status === "paid"),
  );
  const contents = payouts.map(async ({ id }) => {
    const { data } = (await shop.get(`/charges?payout_id=${id}`, { as })).body;
    return data.map((charge: { id: string }) => charge.id);
  });
  assert.deepEqual(
    await Promise.all(contents),
    paid.map((id) => [id]),
  );
});

test("200: a payout that is created while the clock advances keeps its payments", async () => {
  const { account, key: as } = await shop.createMerchant();
  const { database } = shop.app;
  const payOut = (tx: Tx) => {
    const now = shop.clock.now();
    return createScheduledPayouts(tx, { account, livemode: false }, dayOf(now), now);
  };
  const older = (await shop.post("/charges", visa, { as })).body.id;
  await advanceDays(3, { as });
  const newer = (await shop.post("/charges", visa, { as })).body.id;
  await queueBehind(database, {
    lock: payOut,
    statement: "pg_advisory_xact_lock",
    requests: [async () => assert.equal((await advanceDays(3, { as })).status, 200)],
  });
  await database.transaction(payOut);
  const payouts = await until(
    async (): Promise<{ id: string; amount: number; status: string }[]> =>
      (await shop.get("/payouts", { as })).body.data,
    (list) => list.every(({ status }) => status !== "pending"),
  );
  const contents = payouts.map(async ({ id, amount }) => {
    const { data } = (await shop.get(`/charges?payout_id=${id}`, { as })).body;
    return [amount, data.map((charge: { id: string }) => charge.id)];
  });
  assert.deepEqual(await Promise.all(contents), [
    [9_680, [newer]],
    [9_680, [older]],
  ]);
});

/** Inserts copies of a decision, so that an advance of the merchant's clock takes several transactions. */
async function addDecisions(account: AccountId, as: SecretKey, count: number): Promise<void> {
  const { id } = (await shop.post("/decisions", visa, { as })).body;
  await shop.app.database.transaction(
    (tx) => tx`
      insert into decisions
      select (jsonb_populate_record(d, jsonb_build_object('id', overlay(d.id::text placing lpad(to_hex(n), 12, '0') from 25)))).*
        from decisions d
       cross join generate_series(1, ${count}::integer) as n
       where account_id = ${uuidOf(account)} and d.id = ${uuidOf(id)}`,
  );
}

/** Returns the expiry times, earliest first, each with the number of decisions that expire then. */
async function countExpiryTimes(account: AccountId): Promise<readonly [number, number][]> {
  const rows = await shop.app.database.read<{ expires_at: Date; count: number }>`
    select expires_at, count(*)::integer as count
      from decisions where account_id = ${uuidOf(account)} group by 1 order by 1`;
  return rows.map(({ expires_at, count }) => [expires_at.getTime(), count]);
}

test("200: an advance of many rows runs in short transactions, and no payout is created in the meantime", async () => {
  const { account, key: as } = await shop.createMerchant();
  const scope = { account, livemode: false };
  const { database } = shop.app;
  await shop.post("/account", { payout_schedule: "daily" }, { as });
  await addDecisions(account, as, 2_500);
  const paid = (await shop.post("/charges", visa, { as })).body.id;
  const before = await countExpiryTimes(account);
  let advanced: Promise<{ status: number }> | null = null;
  await database.transaction(async (tx) => {
    await tx`select from charges where account_id = ${uuidOf(account)} and id = ${uuidOf(paid)} for update`;
    advanced = advanceDays(3, { as });
    const [[movedTo] = [0, 0]] = await until(
      () => countExpiryTimes(account),
      ([first]) => first?.[1] === 2_501 && first[0] !== before[0]?.[0],
    );
    assert.equal(movedTo, (before[0] as [number, number])[0] - 3 * day);
    const now = shop.clock.now();
    const created = await database.transaction((other) =>
      createScheduledPayouts(other, scope, dayOf(now), now),
    );
    assert.deepEqual(created, []);
  });
  assert.equal(((await advanced) as unknown as { status: number }).status, 200);
  assert.equal((await countExpiryTimes(account)).length, 1);
  const [payout] = (await shop.get("/payouts", { as })).body.data;
  assert.equal(payout.amount, 9_680);
  assert.equal((await shop.get(`/charges?payout_id=${payout.id}`, { as })).body.data[0].id, paid);
});

test("200: an advance whose process died is continued, moves each row once, and its request gets the response", async () => {
  const { account, key: as } = await shop.createMerchant();
  const { database } = shop.app;
  await addDecisions(account, as, 2_500);
  const before = await countExpiryTimes(account);
  const held = (await shop.post("/charges", { ...visa, capture_method: "manual" }, { as })).body;
  // The lock of the charge blocks the advance after it has changed the decisions. The test then ends the advance by
  // cutting its database connections.
  await database.transaction(async (tx) => {
    await tx`select from charges where account_id = ${uuidOf(account)} and id = ${uuidOf(held.id)} for update`;
    const cut = advanceDays(1, { as, key: "died" });
    await until(
      () => countExpiryTimes(account),
      ([first]) => first?.[1] === 2_501 && first[0] !== before[0]?.[0],
    );
    await until(
      () => database.read`
        select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like '%update charges%'`,
      (ended) => ended.length > 0,
    );
    assert.ok((await cut).status >= 500);
  });
  // The job continues the advance after ten seconds without progress. The retry waits for the response to the advance.
  shop.clock.advance(11_000);
  const retry = advanceDays(1, { as, key: "died" });
  await until(
    async () => (await shop.get(`/charges/${held.id}`, { as })).body,
    (charge) => charge.capture_before === held.capture_before - 86_400,
  );
  const { status, body } = await retry;
  assert.deepEqual([status, body.advanced_by], [200, 86_400]);
  const [[movedTo, moved] = [0, 0], ...others] = await countExpiryTimes(account);
  assert.deepEqual([movedTo, moved, others], [(before[0] as [number, number])[0] - day, 2_501, []]);
});

test("200: while an advance waits for a payment's row, it locks no rows of other tables", async () => {
  const { account, key: as } = await shop.createMerchant();
  const { database } = shop.app;
  const paid = (await shop.post("/charges", visa, { as })).body.id;
  await shop.post("/decisions", visa, { as });
  await shop.post("/test_helpers/disputes", { charge_id: paid }, { as });
  await shop.post("/checkout_sessions", { amount: 500, currency: "usd" }, { as });
  let advanced: Promise<{ status: number }> | null = null;
  await database.transaction(async (tx) => {
    await tx`select from charges where account_id = ${uuidOf(account)} and id = ${uuidOf(paid)} for update`;
    advanced = advanceDays(1, { as });
    await until(
      () => countLockWaits(database, "update charges"),
      (count) => count > 0,
    );
    for (const table of ["decisions", "disputes", "checkout_sessions"]) {
      const text = `select from ${table} where account_id = $1 for update nowait`;
      const rows = await tx({ name: `lock ${table}`, text }, uuidOf(account));
      assert.equal(rows.length, 1, table);
    }
  });
  assert.equal(((await advanced) as unknown as { status: number }).status, 200);
});

test("200: a currency whose payments were all paid out long ago stays in the balance", async () => {
  const { key: as } = await shop.createMerchant();
  await shop.post("/account", { payout_schedule: "daily" }, { as });
  await shop.post("/charges", visa, { as });
  await updateAllCheckpoints();
  assert.equal((await advanceDays(40, { as })).status, 200);
  assert.equal((await shop.get("/payouts", { as })).body.data.length, 1);
  await updateAllCheckpoints();
  assert.equal((await advanceDays(1, { as })).status, 200);
  const { available, pending } = (await shop.get("/balance", { as })).body;
  const zero = [{ amount: 0, currency: "usd" }];
  assert.deepEqual([available, pending], [zero, zero]);
  await until(
    async () => (await shop.get("/payouts", { as })).body.data,
    ([payout]) => payout.status === "paid",
  );
});

test("400: the clock does not advance past the earliest time of the database", async () => {
  const { account, key: as } = await shop.createMerchant();
  const { database } = shop.app;
  await shop.post("/decisions", visa, { as });
  const expireAt = (time: string) =>
    database.transaction(
      (tx) => tx`update decisions set expires_at = ${time} where account_id = ${uuidOf(account)}`,
    );
  await expireAt("1000-06-01T00:00:00Z");
  const [, , code, param] = errorOf(await advanceDays(180, { as, key: "far" }));
  assert.deepEqual([code, param], ["parameter_invalid", "seconds"]);
  assert.equal((await advanceDays(30, { as })).status, 200);
});

async function updateAllCheckpoints(): Promise<void> {
  while (!(await updateCheckpoints(shop.app.database)));
}
