import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { ApprovalMetrics } from "@florin/contract/approval-metrics.ts";
import { newId, uuidOf } from "../../src/core/ids.ts";
import { measureAgain } from "../../src/insights/metrics/hourly-metrics.ts";
import { measureHours } from "../measure-hours.ts";
import { createPerson } from "../person.ts";
import { errorOf, startShop } from "../shop.ts";
import { skipEndOfDay } from "../test-clock.ts";

// Starts no workers, so that an hour is counted only when a test counts it.
const shop = await startShop({ workers: false });
after(() => shop.close());
const { database } = shop.app;
const hourMs = 3_600_000;

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
const declined = (name: string) => ({ ...visa, payment_method_id: `pm_card_${name}` });

async function approvals(query = "", as = shop.merchant.key): Promise<ApprovalMetrics> {
  const response = await shop.get(`/metrics/approvals${query}`, { as });
  assert.equal(response.status, 200, response.text);
  return response.body;
}

test("200: without payments there are no rates, and every day has zeros", async () => {
  const { total, data, counted_since, connections, suggestions, costs } = await approvals();
  assert.deepEqual([total.attempts, total.approval_rate, total.interval], [0, null, null]);
  assert.equal(data.length, 31);
  assert.deepEqual([counted_since, connections, suggestions, costs], [null, [], [], []]);
});

test("200: counts what issuers decided, by network, country and decline code", async () => {
  skipEndOfDay(shop.clock);
  const { key: as } = await shop.createMerchant();
  for (let count = 0; count < 3; count++) await shop.post("/charges", visa, { as });
  await shop.post("/charges", declined("mastercard"), { as });
  await shop.post("/charges", { ...visa, capture_method: "manual" }, { as });
  await shop.post("/charges", declined("visa_chargeDeclinedInsufficientFunds"), { as });
  // Declined by the risk decision, so no issuer sees the payment.
  await shop.post("/rules", { expression: "amount > 90000", outcome: "decline" }, { as });
  const blocked = await shop.post("/charges", { ...visa, amount: 95_000 }, { as });
  assert.equal(blocked.body.error.code, "blocked_by_decision", blocked.text);

  const latest = await approvals("", as);
  assert.deepEqual(
    [latest.total.attempts, latest.total.approved, latest.total.declined],
    [6, 5, 1],
  );
  assert.equal(latest.total.approval_rate, 5 / 6);
  assert.deepEqual(
    latest.networks.map(({ network, attempts, approved }) => [network, attempts, approved]),
    [
      ["visa", 5, 4],
      ["mastercard", 1, 1],
    ],
  );
  assert.deepEqual(
    latest.countries.map(({ country, attempts }) => [country, attempts]),
    [["US", 6]],
  );
  assert.deepEqual(latest.declines, [{ decline_code: "insufficient_funds", count: 1, share: 1 }]);
  assert.deepEqual(
    latest.connections.map(({ connection, acquirer, attempts }) => [
      connection,
      acquirer,
      attempts,
    ]),
    [["simulator", "simulator", 6]],
  );
  const withPayments = latest.data.filter(({ attempts }) => attempts > 0);
  assert.deepEqual(
    withPayments.map(({ attempts, approved }) => [attempts, approved]),
    [[6, 5]],
  );

  // The figures are the same after the job has counted the hour.
  shop.clock.advance(2 * hourMs);
  await measureHours(shop);
  const { counted_since, ...counted } = await approvals("", as);
  const { counted_since: before, ...expected } = latest;
  assert.equal(before, null);
  assert.ok(counted_since);
  assert.deepEqual(
    { ...counted, from: 0, to: 0, data: [] },
    { ...expected, from: 0, to: 0, data: [] },
  );

  const mastercard = await approvals("?network=mastercard", as);
  assert.deepEqual([mastercard.total.attempts, mastercard.total.approval_rate], [1, 1]);
  assert.equal((await approvals("?country=DE", as)).total.attempts, 0);
  assert.equal((await approvals("?connection=simulator", as)).total.attempts, 6);
  const other = newId("asg", shop.clock.now());
  assert.equal((await approvals(`?connection=${other}`, as)).total.attempts, 0);
  const code = await approvals("?decline_code=do_not_honor", as);
  assert.deepEqual([code.total.attempts, code.total.declined, code.declines], [6, 0, []]);

  assert.equal((await approvals()).total.attempts, 0, "another merchant's payments were counted");
});

test("200: a counted hour is replaced, so that a late outcome is counted once", async () => {
  const { key: as, account } = await shop.createMerchant();
  const hour = Math.floor(shop.clock.now().getTime() / hourMs);
  await shop.post("/charges", visa, { as });
  shop.clock.advance(2 * hourMs);
  await measureHours(shop);
  const scope = { account, livemode: false };
  await database.transaction((tx) => measureAgain(tx, scope, hour, shop.clock.now()));
  const rows = await database.read`
    select payments from approval_hours where account_id = ${uuidOf(account)}`;
  assert.equal(rows.length, 1);
  assert.equal((await approvals("", as)).total.attempts, 1);
});

test("200: contains the fees of the settlement files, by network", async () => {
  skipEndOfDay(shop.clock);
  const { key: as, account } = await shop.createMerchant();
  for (let count = 0; count < 2; count++) await shop.post("/charges", visa, { as });
  await shop.post("/charges", declined("mastercard"), { as });
  const day = shop.clock.now().toISOString().slice(0, 10);
  const reconciled = await shop.post("/reconciliations", { day }, { as });
  assert.equal(reconciled.status, 201, reconciled.text);
  const { costs } = await approvals("", as);
  assert.deepEqual(
    costs.map(({ connection, network, currency, payments, amount }) => [
      connection,
      network,
      currency,
      payments,
      amount,
    ]),
    [
      ["simulator", null, "usd", 3, 3 * 1999],
      ["simulator", "visa", "usd", 2, 2 * 1999],
      ["simulator", "mastercard", "usd", 1, 1999],
    ],
  );
  const [all, ...parts] = costs.map(({ fees }) => fees);
  assert.ok((all ?? 0) > 0);
  assert.equal(
    all,
    parts.reduce((sum, fees) => sum + fees, 0),
  );
  // A repeated reconciliation replaces the costs of the day.
  await shop.post("/reconciliations", { day }, { as });
  assert.deepEqual((await approvals("", as)).costs, costs);
  assert.deepEqual(
    (await approvals("?network=mastercard", as)).costs.map(({ payments }) => payments),
    [1, 1],
  );

  for (const [role, shown] of [
    ["analyst", costs],
    ["support", []],
  ] as const) {
    const member = await createPerson(shop, { account, role });
    const { body } = await member.api("GET", "/metrics/approvals");
    assert.equal(body.total.attempts, 3, role);
    assert.deepEqual(body.costs, shown, role);
  }
});

test("200: in every time zone, the fees of a settlement file belong to the day with the file's date", async () => {
  skipEndOfDay(shop.clock);
  const { key: as } = await shop.createMerchant();
  await shop.post("/charges", visa, { as });
  const day = shop.clock.now().toISOString().slice(0, 10);
  assert.equal((await shop.post("/reconciliations", { day }, { as })).status, 201);
  for (const zone of ["America/Los_Angeles", "Asia/Kolkata", "Pacific/Kiritimati"]) {
    const counted = [-1, 0, 1].map(async (days) => {
      const start = Temporal.PlainDate.from(day).add({ days }).toZonedDateTime(zone);
      const from = start.epochMilliseconds / 1000;
      const range = `?from=${from}&to=${from + 1}&time_zone=${zone}`;
      return (await approvals(range, as)).costs.map(({ payments }) => payments);
    });
    assert.deepEqual(await Promise.all(counted), [[], [1, 1], []], zone);
  }
  const last = "?from=253402300700&to=253402300799&time_zone=Pacific/Kiritimati";
  assert.deepEqual((await approvals(last, as)).costs, []);
});

test("200: compares two connections, and suggests the one that approves more", async () => {
  const { key: as, account } = await shop.createMerchant();
  const hour = Math.floor(shop.clock.now().getTime() / hourMs) - 48;
  const [one, other] = [newId("asg", shop.clock.now()), newId("asg", shop.clock.now())];
  await shop.post("/charges", visa, { as });
  await database.transaction(async (tx) => {
    for (const [place, [assignment, code, payments]] of (
      [
        [one, null, 930],
        [one, "do_not_honor", 70],
        [other, null, 850],
        [other, "do_not_honor", 150],
      ] as const
    ).entries()) {
      await tx`
        insert into approval_hours (
          account_id, livemode, hour, place, assignment_id, network, country, decline_code, payments
        )
        values (${uuidOf(account)}, false, ${hour}, ${place}, ${uuidOf(assignment)}, 'visa', 'DE', ${code}, ${payments})`;
    }
    await tx`
      insert into payment_hours_progress (account_id, livemode, measured_to)
      values (${uuidOf(account)}, false, ${hour + 1})`;
  });
  const { suggestions } = await approvals("", as);
  assert.deepEqual(
    suggestions.map(({ kind, connection, network, country, rate, decline_code }) => [
      kind,
      connection,
      network,
      country,
      rate,
      decline_code,
    ]),
    [
      ["connection_approves_more", one, "visa", null, 0.93, null],
      ["connection_approves_more", one, null, "DE", 0.93, null],
      ["frequent_decline", null, null, null, 1, "do_not_honor"],
    ],
  );
  const only = await approvals(`?connection=${other}`, as);
  assert.deepEqual([only.total.attempts, only.total.approval_rate], [1_000, 0.85]);
});

test("400: rejects a range of more than 92 days and an unknown parameter", async () => {
  const now = Math.floor(shop.clock.now().getTime() / 1000);
  const long = await shop.get(`/metrics/approvals?from=${now - 93 * 86_400}&to=${now}`);
  assert.deepEqual(errorOf(long), [400, "invalid_request_error", "parameter_invalid", "from"]);
  const unknown = await shop.get("/metrics/approvals?interval=hour");
  assert.deepEqual(errorOf(unknown), [
    400,
    "invalid_request_error",
    "parameter_unknown",
    "interval",
  ]);
});
