import assert from "node:assert/strict";
import { after, test } from "node:test";
import { newId, uuidOf } from "../../src/core/ids.ts";
import { rowsOf, uuids } from "../../src/platform/database/array-parameter.ts";
import { closeChecked } from "../close-checked.ts";
import { acquirerTiming, errorOf, startShop, until } from "../shop.ts";
import { day, second } from "../test-clock.ts";

const shop = await startShop();
after(() => closeChecked(shop));

const visa = { amount: 10_000, currency: "usd", payment_method_id: "pm_card_visa" };
const read = async (path: string, sent = {}) => (await shop.get(path, sent)).body;
const merchant = async () => ({ as: (await shop.createMerchant()).key });
type As = { as: Awaited<ReturnType<typeof shop.createMerchant>>["key"] };
const pay = async (sent: As, change = {}) =>
  (await shop.post("/charges", { ...visa, ...change }, sent)).body.id;
/** Returns available and pending balance in one currency. */
const balance = async (sent: As, currency = "usd") => {
  const { available, pending } = await read("/balance", sent);
  const of = (list: { currency: string; amount: number }[]) =>
    list.find((one) => one.currency === currency)?.amount ?? null;
  return [of(available), of(pending)];
};
const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);
const sumOfTransactions = async (sent: As) => {
  const { data } = await read("/balance_transactions?limit=100", sent);
  return data.reduce((sum: number, { net }: { net: number }) => sum + net, 0);
};

test("200: a payment less its fee is pending, and available after two days", async () => {
  const sent = await merchant();
  assert.deepEqual(await read("/balance", sent), {
    object: "balance",
    livemode: false,
    available: [],
    pending: [],
  });
  const id = await pay(sent);
  assert.deepEqual(await balance(sent), [0, 9_680]);
  const [transaction] = (await read("/balance_transactions", sent)).data;
  assert.deepEqual(
    [transaction.type, transaction.amount, transaction.fee, transaction.net, transaction.source],
    ["charge", 10_000, 320, 9_680, id],
  );
  assert.deepEqual([transaction.status, transaction.currency], ["pending", "usd"]);
  shop.clock.advance(2 * day + second);
  assert.deepEqual(await balance(sent), [9_680, 0]);
  assert.equal((await read("/balance_transactions", sent)).data[0].status, "available");
});

test("200: a charge and a refund contain the id of their balance transaction, which only their merchant can read", async () => {
  const sent = await merchant();
  const charge = await read(`/charges/${await pay(sent)}`, sent);
  const refund = (await shop.post("/refunds", { charge_id: charge.id, amount: 100 }, sent)).body;
  const { data } = await read("/balance_transactions", sent);
  const named = [refund.balance_transaction_id, charge.balance_transaction_id];
  assert.deepEqual(
    await Promise.all(named.map((id) => read(`/balance_transactions/${id}`, sent))),
    data,
  );
  for (const [id, as] of [
    [named[0], shop.otherMerchant.key],
    [charge.id, sent.as],
    [newId("txn", shop.clock.now()), sent.as],
  ] as const) {
    const missing = await shop.get(`/balance_transactions/${id}`, { as });
    assert.deepEqual(errorOf(missing), [404, "invalid_request_error", "resource_missing", "id"]);
  }
});

test("200: the payout delay of a manually captured payment starts at its capture", async () => {
  const sent = await merchant();
  const id = await pay(sent, { capture_method: "manual" });
  shop.clock.advance(5 * day);
  assert.deepEqual(await balance(sent), [null, null]);
  await shop.post(`/charges/${id}/capture`, {}, sent);
  assert.deepEqual(await balance(sent), [0, 9_680]);
  shop.clock.advance(2 * day + second);
  assert.deepEqual(await balance(sent), [9_680, 0]);
});

test("200: refunds and disputes change the balance immediately, and the balance equals the sum of its transactions", async () => {
  const sent = await merchant();
  const charge = await pay(sent);
  const steps = [
    () => shop.post("/refunds", { charge_id: charge, amount: 1_000 }, sent),
    () => shop.post("/test_helpers/disputes", { charge_id: charge, amount: 2_000 }, sent),
    () => pay(sent, { amount: 500 }),
  ];
  for (const step of steps) {
    await step();
    const [available, pending] = await balance(sent);
    assert.equal((available ?? 0) + (pending ?? 0), await sumOfTransactions(sent));
  }
  const { data } = await read("/balance_transactions?limit=100", sent);
  const movements = data.map((one: { type: string; amount: number; fee: number }) => [
    one.type,
    one.amount,
    one.fee,
  ]);
  assert.deepEqual(movements, [
    ["charge", 500, 45],
    ["dispute", -2_000, 1_500],
    ["refund", -1_000, 0],
    ["charge", 10_000, 320],
  ]);
  for (const one of data) {
    const of = (await read(`/balance_transactions?source=${one.source}`, sent)).data;
    assert.ok(of.some(({ id }: { id: string }) => id === one.id));
  }
});

test("200: each currency has its own balance", async () => {
  const sent = await merchant();
  await pay(sent);
  await pay(sent, { currency: "jpy" });
  assert.deepEqual(await balance(sent, "jpy"), [0, 9_665]);
  assert.equal((await read("/balance_transactions?currency=jpy", sent)).data.length, 1);
});

test("200: the balance equals the sum of its transactions during 64 concurrent payments and refunds", async () => {
  const sent = await merchant();
  const charge = await pay(sent, { amount: 90_000 });
  let isOver = false;
  const balanceChecks = (async () => {
    while (!isOver) {
      const [available, pending] = await balance(sent);
      assert.ok((available ?? 0) <= 0 && (pending ?? 0) > 0);
    }
  })();
  await Promise.all(
    Array.from({ length: 64 }, (_, index) =>
      index % 2
        ? pay(sent, { amount: 1_000 })
        : shop.post("/refunds", { charge_id: charge, amount: 100 }, sent),
    ),
  );
  isOver = true;
  await balanceChecks;
  const paid = 90_000 - 2_640 + 32 * (1_000 - 59);
  assert.deepEqual(await balance(sent), [-3_200, paid]);
});

test("200: downloads a statement as CSV", async () => {
  const sent = await merchant();
  await pay(sent);
  const charge = await pay(sent, { currency: "jpy" });
  await shop.post("/refunds", { charge_id: charge, amount: 7 }, sent);
  const { status, headers, text } = await shop.get("/balance_transactions.csv", sent);
  assert.deepEqual([status, headers.get("content-type")], [200, "text/csv; charset=utf-8"]);
  const [head, refund, yen, dollars, end] = text
    .split("\r\n")
    .map((line) => line.replace(/^"|"$/g, "").replaceAll('","', ","));
  assert.equal(head, "id,created,available_on,type,currency,amount,fee,net,source");
  assert.match(refund ?? "", /^txn_\w{26},[\d:.TZ-]+,[\d:.TZ-]+,refund,jpy,-7,0,-7,re_\w{26}$/);
  assert.match(yen ?? "", /,charge,jpy,10000,335,9665,ch_/);
  assert.match(dollars ?? "", /,charge,usd,100\.00,3\.20,96\.80,ch_/);
  assert.equal(end, "");
});

test("200: a long statement contains each transaction once", async () => {
  const { account, key } = await shop.createMerchant();
  const sent = { as: key };
  const count = 2_345;
  const entries = Array.from({ length: count }, () => newId("txn", shop.clock.now()));
  await shop.app.database.transaction(
    (tx) => tx`
      insert into ledger_transfers (account_id, livemode, entry_id, line, kind, debit, credit, amount, currency, source_id)
      select ${uuidOf(account)}, false, id, l.line, l.kind, l.debit::ledger_account, l.credit::ledger_account, 7, 'usd', id
        from ${rowsOf({ id: uuids(entries, (id) => id) })} as made
       cross join (values (1, 'refund', 'merchant_balance', 'acquirer_receivable')) as l (line, kind, debit, credit)`,
  );
  const { text } = await shop.get("/balance_transactions.csv", sent);
  const ids = text
    .trim()
    .split("\r\n")
    .slice(1)
    .map((line) => line.slice(1, 31));
  assert.deepEqual([ids.length, new Set(ids).size], [count, count]);
  assert.deepEqual(ids, ids.toSorted().reverse());
  const page = await shop.get("/balance_transactions.csv?limit=5", sent);
  assert.deepEqual(page.text.trim().split("\r\n").length, 6);
  const above = await shop.get(`/balance_transactions.csv?ending_before=${ids.at(-1)}`, sent);
  assert.deepEqual(above.text.trim().split("\r\n").length, count);
  // Deletes these transfers, because no refund explains them and the consistency check at the end would report them.
  await shop.app.database.transaction(
    (tx) => tx`delete from ledger_transfers where account_id = ${uuidOf(account)}`,
  );
  await shop.app.database.transaction(
    (tx) => tx`delete from balance_checkpoints where account_id = ${uuidOf(account)}`,
  );
});

test("201: a payout of the available balance is first pending, then in transit, then paid, and is recorded in the ledger", async () => {
  const sent = await merchant();
  await pay(sent);
  assert.equal(
    errorOf(await shop.post("/payouts", { amount: 50, currency: "usd" }, sent))[2],
    "balance_insufficient",
  );
  shop.clock.advance(2 * day + second);
  const requested = { amount: 9_000, currency: "usd", metadata: { run: "7" } };
  const { status, body } = await shop.post("/payouts", requested, sent);
  assert.deepEqual(
    [status, body.status, body.amount, body.automatic, body.metadata],
    [201, "pending", 9_000, false, { run: "7" }],
  );
  assert.deepEqual(await balance(sent), [680, 0]);
  await until(
    () => read(`/payouts/${body.id}`, sent),
    (payout) => payout.status === "in_transit",
  );
  shop.clock.advance(second);
  const paid = await until(
    () => read(`/payouts/${body.id}`, sent),
    (payout) => payout.status === "paid",
  );
  assert.ok(paid.version > body.version);
  const { data } = await read("/balance_transactions", sent);
  assert.deepEqual(
    [data[0].id, data[0].type, data[0].net, data[0].source],
    [body.balance_transaction_id, "payout", -9_000, body.id],
  );
  const events = (await read("/events?type=payout.paid", sent)).data;
  assert.equal(events.length, 1);
});

/** Creates a payout of one payment, in transit to the bank. Stops the clock. */
async function createPayoutInTransit(sent: As): Promise<`po_${string}`> {
  await pay(sent);
  shop.clock.advance(2 * day + second);
  shop.clock.stop();
  const { body } = await shop.post("/payouts", { amount: 9_680, currency: "usd" }, sent);
  await until(
    () => read(`/payouts/${body.id}`, sent),
    (payout) => payout.status === "in_transit",
  );
  return body.id;
}

test("201: a payout that the bank returns restores the balance", async () => {
  const sent = await merchant();
  const id = await createPayoutInTransit(sent);
  const failed = (await shop.post(`/test_helpers/payouts/${id}/fail`, {}, sent)).body;
  assert.deepEqual([failed.status, failed.failure_code], ["failed", "account_closed"]);
  assert.deepEqual(await balance(sent), [9_680, 0]);
  const returned = (await read("/balance_transactions?type=payout_failure", sent)).data;
  assert.deepEqual([returned.length, returned[0].net], [1, 9_680]);
  assert.equal((await read("/events?type=payout.failed", sent)).data.length, 1);
  assert.equal(
    errorOf(await shop.post(`/test_helpers/payouts/${id}/fail`, {}, sent))[2],
    "status_transition_invalid",
  );
});

test("400: a payout that the bank reported as arrived cannot fail, even before the report is processed", async () => {
  const { account, key } = await shop.createMerchant();
  const sent = { as: key };
  const id = await createPayoutInTransit(sent);
  shop.clock.advance(acquirerTiming.resolveAfterMs);
  const reported = await shop.simulator.payOut({
    account,
    reference: id,
    price: { amountMinor: 9_680, currency: "usd" },
  });
  assert.equal(reported.kind, "paid");
  const late = await shop.post(`/test_helpers/payouts/${id}/fail`, {}, sent);
  assert.deepEqual(errorOf(late).slice(2), ["status_transition_invalid", "id"]);
  await until(
    () => read(`/payouts/${id}`, sent),
    (payout) => payout.status === "paid",
  );
});

test("201: of 64 concurrent payouts only those that the balance covers are created", async () => {
  const sent = await merchant();
  await pay(sent);
  shop.clock.advance(2 * day + second);
  const replies = await Promise.all(
    Array.from({ length: 64 }, () =>
      shop.post("/payouts", { amount: 1_000, currency: "usd" }, sent),
    ),
  );
  assert.equal(replies.filter(({ status }) => status === 201).length, 9);
  assert.deepEqual(await balance(sent), [680, 0]);
});

test("201: a repeated idempotency key creates one payout", async () => {
  const sent = await merchant();
  await pay(sent);
  shop.clock.advance(2 * day + second);
  const requested = () =>
    shop.post("/payouts", { amount: 100, currency: "usd" }, { ...sent, key: "payout" });
  const [first, second_] = [await requested(), await requested()];
  assert.equal(first.text, second_.text);
  assert.deepEqual(await balance(sent), [9_580, 0]);
});

test("200: a daily payout schedule pays out the available balance every day", async () => {
  const sent = await merchant();
  const { body } = await shop.post("/account", { payout_schedule: "daily" }, sent);
  assert.equal(body.payout_schedule, "daily");
  await pay(sent);
  await pay(sent, { currency: "eur" });
  shop.clock.advance(2 * day + second);
  const { data } = await until(
    () => read("/payouts", sent),
    (list) => list.data.length === 2,
  );
  const created = data.map((payout: { currency: string; amount: number; automatic: boolean }) => [
    payout.currency,
    payout.amount,
    payout.automatic,
  ]);
  assert.deepEqual(created.sort(), [
    ["eur", 9_685, true],
    ["usd", 9_680, true],
  ]);
  assert.deepEqual(await balance(sent), [0, 0]);
  assert.equal((await read("/events?type=account.updated", sent)).data.length, 1);
});

test("200: a scheduled payout contains the payments that became available since the previous payout", async () => {
  const { account, key: as } = await shop.createMerchant();
  const sent = { as };
  await shop.post("/account", { payout_schedule: "daily" }, sent);
  const payouts = async (count: number) =>
    (
      await until(
        () => read("/payouts", sent),
        ({ data }) => data.length === count,
      )
    ).data;
  const [first, euros] = [await pay(sent), await pay(sent, { currency: "eur" })];
  shop.clock.advance(day);
  const later = await pay(sent);
  shop.clock.advance(day + second);
  await payouts(2);
  shop.clock.advance(day);
  const [last] = await payouts(3);
  const pending = await pay(sent);

  const contained = async (payout: string | undefined) =>
    idsOf(await read(`/charges?payout_id=${payout}`, sent));
  const payoutsOf = async (charge: string) =>
    idsOf(await read(`/payouts?charge_id=${charge}`, sent));
  const [one] = await payoutsOf(first);
  const [other] = await payoutsOf(euros);
  assert.deepEqual(await contained(one), [first]);
  assert.deepEqual(await contained(other), [euros]);
  assert.deepEqual(await contained(last.id), [later]);
  assert.deepEqual([await payoutsOf(later), await payoutsOf(pending)], [[last.id], []]);
  assert.equal((await read(`/charges/count?payout_id=${last.id}`, sent)).count, 1);

  // A payment that is already assigned to a payout stays in it when the delay changes later.
  await shop.app.database.transaction(
    (tx) => tx`update accounts set settlement_days = 0 where id = ${uuidOf(account)}`,
  );
  assert.deepEqual(await payoutsOf(later), [last.id]);
  const requested = await shop.post("/payouts", { amount: 100, currency: "usd" }, sent);
  assert.deepEqual(await contained(requested.body.id), []);
});

test("400: rejects invalid payouts, payouts above the available balance, and invalid filters of balance transactions", async () => {
  const sent = await merchant();
  for (const [body, code, param] of [
    [{ amount: 0, currency: "usd" }, "invalid_charge_amount", "amount"],
    [{ amount: 5 }, "parameter_missing", "currency"],
    [{ amount: 5, currency: "xxx" }, "currency_unsupported", "currency"],
    [{ amount: 49, currency: "usd" }, "amount_too_small", "amount"],
    [{ amount: 50, currency: "usd" }, "balance_insufficient", "amount"],
  ] as const) {
    assert.deepEqual(errorOf(await shop.post("/payouts", body, sent)).slice(2), [code, param]);
  }
  assert.deepEqual(errorOf(await shop.get("/balance_transactions?source=x")).slice(2), [
    "resource_missing",
    "source",
  ]);
  assert.deepEqual(errorOf(await shop.get("/balance_transactions?currency=USD")).slice(2), [
    "currency_unsupported",
    "currency",
  ]);
});

test("404: rejects an unknown payout", async () => {
  const reply = await shop.get(`/payouts/${newId("po", shop.clock.now())}`);
  assert.deepEqual(errorOf(reply).slice(2), ["resource_missing", "id"]);
});
