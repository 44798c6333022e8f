import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createFiguresCache } from "../../src/admin/operator/payment-metrics.ts";
import { uuidOf } from "../../src/core/ids.ts";
import { measureOn } from "../../src/insights/metrics/hourly-metrics.ts";
import { createPerson } from "../person.ts";
import { errorOf, startShop, until } from "../shop.ts";
import { hour } from "../test-clock.ts";

const shop = await startShop();
after(() => shop.close());

const operator = await createPerson(shop, { operator: true, secondFactor: true });
const visa = { amount: 1_999, currency: "usd", payment_method_id: "pm_card_visa" };

async function createAccount(status: "test_only" | "approved" = "approved") {
  const { account, key } = await shop.createMerchant({ status });
  const path = `/operator/v1/accounts/${account}`;
  const operate = (name: string, body: object = { reason: "Because of a complaint." }) =>
    operator.send("POST", `${path}/${name}`, body);
  return { account, key, path, operate };
}

test("rejects keys, anonymous callers, merchants, and operators without a second factor", async () => {
  const read = { headers: { authorization: `Bearer ${shop.merchant.key}` } };
  const withKey = await shop.send("GET", "/operator/v1/accounts", read);
  assert.deepEqual(errorOf(withKey), [401, "authentication_error", "sign_in_required"]);
  for (const [options, code] of [
    [{ secondFactor: true }, "permission_denied"],
    [{ operator: true }, "second_factor_required"],
  ] as const) {
    const person = await createPerson(shop, options);
    const rejected = await person.send("GET", "/operator/v1/accounts");
    assert.deepEqual(errorOf(rejected), [403, "invalid_request_error", code]);
  }
});

test("403: rejects requests from another site with an operator's session", async () => {
  const { path } = await createAccount();
  const headers = { "sec-fetch-site": "cross-site" };
  const rejected = await operator.send("POST", `${path}/suspend`, { reason: "Ha." }, headers);
  assert.deepEqual(errorOf(rejected), [403, "invalid_request_error", "cross_site_request"]);
});

test("a suspended account rejects live charges within a second, accepts test charges, and can be reinstated", async () => {
  const { account, key, operate } = await createAccount();
  const { secret } = await shop.issueKey(account, true);
  const chargeLive = () => shop.post("/charges", visa, { as: secret });
  const rejectedWith = async (code: string) =>
    until(chargeLive, ({ body }) => body.error?.code === code, 2_000);
  await rejectedWith("connector_not_configured");
  assert.equal((await operate("suspend")).body.account.status, "suspended");
  await rejectedWith("account_suspended");
  assert.equal((await shop.post("/charges", visa, { as: key })).status, 201);
  assert.equal((await operate("reinstate")).body.account.status, "approved");
  await rejectedWith("connector_not_configured");
});

test("400: a closed account cannot be reopened, and a test-only account cannot be suspended", async () => {
  const { operate } = await createAccount("test_only");
  const early = await operate("suspend");
  assert.deepEqual(errorOf(early), [400, "invalid_request_error", "status_transition_invalid"]);
  assert.equal((await operate("close")).body.account.status, "closed");
  const late = await operate("reinstate");
  assert.deepEqual(errorOf(late), [400, "invalid_request_error", "status_transition_invalid"]);
});

test("403: a dangerous operation requires a new step-up after ten minutes", async () => {
  const { operate } = await createAccount();
  const idleOperator = await createPerson(shop, { operator: true, secondFactor: true });
  shop.clock.advance(11 * 60_000);
  const { path } = await createAccount();
  const rejected = await idleOperator.send("POST", `${path}/suspend`, { reason: "Late." });
  assert.deepEqual(errorOf(rejected), [403, "invalid_request_error", "step_up_required"]);
  shop.clock.advance(-11 * 60_000);
  assert.equal((await operate("suspend")).status, 200);
});

const terms = {
  fee_basis_points: 140,
  requests_per_second: null,
  amounts: { usd: { fixed_fee: 25, dispute_fee: 2_000, max_charge: 5_000 } },
};

test("a new fee and a new maximum charge apply within one second", async () => {
  const { key: as, operate } = await createAccount();
  const { body } = await operate("terms", { terms, reason: "A large merchant." });
  assert.deepEqual(body.account.terms, terms);
  await until(
    () => shop.post("/charges", { ...visa, amount: 5_001 }, { as }),
    ({ body: { error } }) => error?.code === "amount_over_account_limit",
    5_000,
  );
  const { balance_transaction_id } = (
    await shop.post("/charges", { ...visa, amount: 5_000 }, { as })
  ).body;
  const { data } = (await shop.get("/balance_transactions", { as })).body;
  const stored = data.find(({ id }: { id: string }) => id === balance_transaction_id);
  assert.equal(stored.fee, 95, "1.4 % of 5000, and 25");
});

test("429: an account's own rate limit applies within one second, and only to its keys", async () => {
  const { key: as, operate } = await createAccount();
  await operate("terms", { terms: { ...terms, requests_per_second: 1 }, reason: "It floods us." });
  const asTwice = () => Promise.all([shop.get("/account", { as }), shop.get("/account", { as })]);
  await until(asTwice, (both) => both.some(({ status }) => status === 429), 3_000);
  const others = await Promise.all([shop.get("/account"), shop.get("/account")]);
  assert.deepEqual(
    others.map(({ status }) => status),
    [200, 200],
  );
});

test("400: rejects a limit in an unknown currency", async () => {
  const { operate } = await createAccount();
  const wrongTerms = { ...terms, amounts: { xxx: { max_charge: 1 } } };
  const rejected = await operate("terms", { terms: wrongTerms, reason: "A slip." });
  assert.deepEqual(errorOf(rejected).slice(1, 3), [
    "invalid_request_error",
    "currency_unsupported",
  ]);
});

test("an operator resets a member's second factor with a recorded reason, and their sessions end", async () => {
  const { account, path } = await createAccount();
  const member = await createPerson(shop, { account, secondFactor: true });
  const reset = await operator.send("POST", `${path}/team/${member.id}/reset_second_factor`, {
    reason: "Lost the phone; recognized on a video call.",
  });
  assert.equal(reset.status, 200, reset.text);
  assert.equal((await member.send("GET", "/auth/v1/me")).status, 401);
  const owner = await createPerson(shop, { account });
  const entries = await owner.api("GET", "/audit_log?action=member.second_factor_reset");
  assert.equal(entries.body.data[0].reason, "Lost the phone; recognized on a video call.");
  const stranger = await operator.send("POST", `${path}/team/${operator.id}/reset_second_factor`, {
    reason: "Not of this team.",
  });
  assert.equal(stranger.status, 404);
});

test("accounts are found by part of the name, by id and by status, in pages", async () => {
  const { account } = await createAccount("test_only");
  const list = async (query: string) =>
    (await operator.send("GET", `/operator/v1/accounts?${query}`)).body;
  assert.equal((await list(`search=${account}`)).data[0].id, account);
  assert.ok((await list("search=FIELD")).data.length > 1);
  const { email } = await createPerson(shop, { account });
  const byEmail = (await list(`search=${encodeURIComponent(email.toUpperCase())}`)).data;
  assert.deepEqual(
    byEmail.map(({ id }: { id: string }) => id),
    [account],
  );
  assert.deepEqual((await list("search=unregistered")).data, []);
  assert.ok(
    (await list("status=closed")).data.every(
      ({ status }: { status: string }) => status === "closed",
    ),
  );
  const after = (await list(`starting_after=${account}`)).data;
  assert.ok(after.every(({ id }: { id: string }) => id < account));
});

test("health counts pending work and names charges without an outcome", async () => {
  const { key: as } = await createAccount();
  // The acquirer times out. The first inquiry is due a few seconds later.
  const unknown = await shop.post("/charges", { ...visa, amount: 9_004_001 }, { as });
  assert.equal(unknown.body.pending_reason, "outcome_unknown");
  const { body } = await operator.send("GET", "/operator/v1/health");
  const names = body.queues.map(({ name }: { name: string }) => name);
  assert.ok(
    ["charges", "deliveries", "acquirer_notifications"].every((name) => names.includes(name)),
  );
  // Without a mail server, queued emails do not count as overdue.
  assert.ok(!names.includes("mail"));
  assert.ok(body.processes.length >= 1 && body.database.size_bytes > 1_000_000);
  const found = body.unknown_outcomes.find(({ id }: { id: string }) => id === unknown.body.id);
  assert.deepEqual([found.reason, found.amount], ["outcome_unknown", 9_004_001]);
});

test("deliveries held by an open circuit breaker are not overdue until the circuit breaker lets a request through", async () => {
  const service = await startShop({ workers: false });
  after(() => service.close());
  const { clock, app } = service;
  const viewer = await createPerson(service, { operator: true, secondFactor: true });
  const { id } = (await service.post("/webhook_endpoints", { url: "http://127.0.0.1:9/" })).body;
  await service.post(`/webhook_endpoints/${id}/ping`, {});
  const backoffUntil = new Date(clock.now().getTime() + 60_000);
  await app.database.transaction(
    (tx) => tx`
      update webhook_endpoints
         set failing_since = ${clock.now()}, failures = 15, backoff_until = ${backoffUntil}
       where id = ${uuidOf(id)}`,
  );
  const deliveries = async () => {
    const { body } = await viewer.send("GET", "/operator/v1/health");
    return body.queues.find(({ name }: { name: string }) => name === "deliveries");
  };
  const waits = { name: "deliveries", waiting: 1, overdue: 0, oldest: null };
  clock.advance(30_000);
  assert.deepEqual(await deliveries(), waits);
  clock.advance(40_000);
  const oldest = Math.floor(backoffUntil.getTime() / 1000);
  assert.deepEqual(await deliveries(), { ...waits, overdue: 1, oldest });
});

test("the checker runs on request, and its report is stored", async () => {
  const requested = await operator.send("POST", "/operator/v1/checker_runs", {});
  const [{ id }] = requested.body.data;
  const runs = () => operator.send("GET", "/operator/v1/checker_runs");
  const { body } = await until(runs, ({ body: { data } }) => data[0].status === "ended");
  const [run] = body.data;
  assert.equal(run.id, id);
  assert.deepEqual([run.report.violations, run.error], [0, null]);
  assert.ok(run.report.results.length > 20);
});

test("figures stay the same when an hour is aggregated, and include all merchants", async () => {
  const service = await startShop({ workers: false });
  after(() => service.close());
  const { clock, app } = service;
  clock.advance(hour - (clock.now().getTime() % hour));
  const viewer = await createPerson(service, { operator: true, secondFactor: true });
  for (const as of [service.merchant.key, service.otherMerchant.key]) {
    await service.post("/charges", visa, { as });
    await service.post("/charges", { ...visa, currency: "eur" }, { as });
    const declined = { ...visa, payment_method_id: "pm_card_visa_chargeDeclined" };
    await service.post("/charges", declined, { as });
  }
  const started = Math.floor(clock.now().getTime() / 1000);
  const periodOf = async () => {
    const { body } = await viewer.send("GET", "/operator/v1/figures?mode=test&by=hour");
    return body.periods.find(({ at }: { at: number }) => at <= started && started < at + 3_600);
  };
  const before = await periodOf();
  const { median_ms, p95_ms, ...counts } = before;
  assert.deepEqual(counts, {
    at: counts.at,
    charges: 6,
    approved: 4,
    declined: 2,
    undecided: 0,
    volume: { eur: 3_998, usd: 3_998 },
  });
  assert.ok(median_ms > 0 && p95_ms >= median_ms);
  clock.advance(2 * hour);
  for (const { account } of [service.merchant, service.otherMerchant]) {
    const scope = { account, livemode: false };
    await app.database.transaction((tx) =>
      measureOn(tx, scope, Math.floor((started * 1000) / hour), clock.now()),
    );
  }
  const readFigures = createFiguresCache({ database: app.database, clock });
  const { periods, ...total } = await readFigures({ mode: "test", by: "hour" });
  assert.deepEqual(
    periods.find(({ at }) => at === before.at),
    before,
  );
  // The other hours have no payments, so the latency over all hours equals the latency of this hour.
  assert.deepEqual([total.median_ms, total.p95_ms], [median_ms, p95_ms]);
});

test("figures count charges by hour, captured amounts and latency", async () => {
  const { body } = await operator.send("GET", "/operator/v1/figures?mode=test&by=hour");
  assert.equal(body.periods.length, 48);
  // The earlier tests have charged in this hour, or in the last one if an hour has just begun.
  const latest = body.periods.slice(-2).findLast(({ charges }: { charges: number }) => charges > 0);
  assert.ok(
    latest.approved >= 1 && latest.volume.usd >= 1_999 && latest.median_ms >= 0,
    JSON.stringify(latest),
  );
  const live = await operator.send("GET", "/operator/v1/figures?mode=live&by=day");
  assert.deepEqual(
    live.body.periods.map(({ charges }: { charges: number }) => charges),
    Array(30).fill(0),
  );
  assert.deepEqual([live.body.median_ms, live.body.p95_ms], [null, null]);
});

test("operators can appoint and remove operators, but not remove the last one", async () => {
  const newcomer = await createPerson(shop, { secondFactor: true });
  const reason = "Joins the team.";
  const list = () => operator.send("GET", "/operator/v1/operators");
  const had = (await list()).body.data.length;
  assert.equal((await newcomer.send("GET", "/operator/v1/operators")).status, 403);
  const added = await operator.send("POST", "/operator/v1/operators", {
    email: newcomer.email,
    reason,
  });
  assert.equal(added.body.data.length, had + 1);
  assert.equal((await newcomer.send("GET", "/operator/v1/operators")).status, 200);
  const unregistered = { email: "unregistered@example.com", reason };
  const unknown = await operator.send("POST", "/operator/v1/operators", unregistered);
  assert.deepEqual(errorOf(unknown), [400, "invalid_request_error", "resource_missing", "email"]);

  const path = `/operator/v1/operators/${newcomer.id}/reset_second_factor`;
  assert.equal((await operator.send("POST", path, { reason: "Lost the phone." })).status, 200);
  assert.equal((await newcomer.send("GET", "/auth/v1/me")).status, 401);

  const remove = (id: string) =>
    operator.send("POST", `/operator/v1/operators/${id}/remove`, { reason: "Leaves the team." });
  for (const { id } of added.body.data) if (id !== operator.id) await remove(id);
  const { data } = (await operator.send("GET", "/operator/v1/audit?action=operator.removed")).body;
  assert.deepEqual(
    [data[0].action, data[0].actor.name, data[0].reason],
    ["operator.removed", operator.email, "Leaves the team."],
  );
  const last = await remove(operator.id);
  assert.deepEqual(errorOf(last), [400, "invalid_request_error", "status_transition_invalid"]);
  assert.equal((await list()).body.data.length, 1);
});

test("processors: lists the simulator in test mode, and reports that live mode has no acquirer", async () => {
  const { data } = (await operator.send("GET", "/operator/v1/processors")).body;
  assert.deepEqual(
    data.map(({ mode, configured }: { mode: string; configured: boolean }) => [mode, configured]),
    [
      ["test", true],
      ["live", false],
    ],
  );
});
