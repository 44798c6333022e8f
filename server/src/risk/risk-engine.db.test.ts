import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createTestDatabase } from "../../test/database.ts";
import { maxBlockMs, measureBlockMs } from "../../test/event-loop-block.ts";
import { testBackground } from "../../test/test-timers.ts";
import { until } from "../../test/until.ts";
import { ApiError } from "../core/api-error.ts";
import { newId } from "../core/ids.ts";
import { insertAccount } from "../identity/accounts/account.sql.ts";
import { newAccount } from "../identity/accounts/account.ts";
import { createChangeFeed } from "../platform/changes/change-feed.ts";
import { connectDatabase } from "../platform/database/database.ts";
import { createRiskServices } from "./risk-services.ts";
import { insertRule } from "./rule.sql.ts";
import { incrementRevision } from "./rule-set.sql.ts";
import type { Payment } from "./signals.ts";

const now = new Date("2026-05-15T12:00:00Z");
const clock = { now: () => now };
const testDatabase = await createTestDatabase();
const database = connectDatabase({
  url: testDatabase.url,
  poolSize: 4,
  onIdleError: () => undefined,
});
const changes = createChangeFeed(database);
const open = () => createRiskServices({ database, changes, clock }, testBackground());
after(async () => {
  await changes.close();
  await database.close();
  await testDatabase.drop();
});

async function createScope() {
  const account = newId("acct", now);
  await database.transaction((tx) =>
    insertAccount(tx, { ...newAccount, id: account, name: "Fieldware", country: "US" }),
  );
  return { account, livemode: false };
}

const payment = (scope: Payment["scope"], fields: Partial<Payment> = {}): Payment => ({
  scope,
  price: { amountMinor: 1999, currency: "usd" },
  card: {
    brand: "visa",
    last4: "4242",
    exp_month: 12,
    exp_year: 2030,
    funding: "credit",
    country: "DE",
    networks: { available: ["visa"], preferred: null },
    fingerprint: "Bb5JGCHg2VNpDJmE",
  },
  traits: { risk: "normal", authentication: "optional" },
  customerId: null,
  offSession: false,
  sessionId: null,
  email: null,
  ip: null,
  billingCountry: null,
  device: null,
  ...fields,
});

test("the countries of IP address and billing address are compared with the card's issuer country", async () => {
  const { riskEngine } = open();
  const scope = await createScope();
  const reasonsFor = async (fields: Partial<Payment>) =>
    (await riskEngine.assess(payment(scope, fields))).reasons;
  assert.deepEqual(await reasonsFor({ ip: "8.8.8.8" }), ["card_country_differs_from_ip"]);
  assert.deepEqual(await reasonsFor({ ip: "::ffff:8.8.8.8", billingCountry: "AT" }), [
    "card_country_differs_from_ip",
    "card_country_differs_from_billing",
  ]);
  for (const ip of [
    "127.0.0.1",
    "::1",
    "192.168.1.7",
    "fd00::1",
    "2001:db8::1",
    "85.214.132.117",
  ]) {
    assert.deepEqual(await reasonsFor({ ip, billingCountry: "DE" }), [], ip);
  }
});

test("the issuer's response to one payment raises the risk of the next", async () => {
  const { riskEngine } = open();
  const scope = await createScope();
  const checks = {
    cvcCheck: "fail",
    addressLine1Check: null,
    addressPostalCodeCheck: null,
  } as const;
  const { fingerprint } = payment(scope).card;
  const outcome = {
    fingerprint,
    email: null,
    ip: null,
    device: null,
    sessionId: null,
    declined: true,
    checks,
  };
  for (let times = 0; times < 3; times++) riskEngine.recordOutcome(scope, outcome);
  const { reasons, details } = await riskEngine.assess(payment(scope));
  assert.deepEqual(reasons, ["card_declined_before", "card_checks_failed_before"]);
  assert.deepEqual(details, { card_declines_24h: 3, card_mismatches_24h: 3 });
});

test("429: one public address or one kind of browser can make at most sixty attempts an hour", async () => {
  const { riskEngine } = open();
  const scope = await createScope();
  const rejects = (fields: Partial<Payment>) => {
    try {
      riskEngine.assertAttemptsWithinLimits(payment(scope, fields));
      return false;
    } catch (error) {
      return error instanceof ApiError && error.status === 429;
    }
  };
  for (let times = 0; times < 60; times++) {
    await riskEngine.assess(payment(scope, { ip: "8.8.8.8", device: "one" }), "counting");
    await riskEngine.assess(payment(scope, { ip: "127.0.0.1", device: "local" }), "counting");
  }
  assert.equal(rejects({ ip: "8.8.8.8", device: "other" }), true);
  assert.equal(rejects({ ip: "8.8.4.4", device: "one" }), true);
  assert.equal(rejects({ ip: "8.8.4.4", device: "other" }), false);
  assert.equal(
    rejects({ ip: "127.0.0.1", device: "local" }),
    false,
    "loopback addresses are not counted",
  );
});

test("429: the addresses of one IPv6 /64 count as one, separately from other networks", async () => {
  const { riskEngine } = open();
  const scope = await createScope();
  for (let times = 0; times < 60; times++) {
    const ip = `2a00:1450:4001:81b::${times.toString(16)}:1`;
    await riskEngine.assess(payment(scope, { ip }), "counting");
  }
  const rejects = (ip: string) =>
    isRejected(() => riskEngine.assertAttemptsWithinLimits(payment(scope, { ip })));
  assert.equal(rejects("2a00:1450:4001:81b:ffff::9"), true);
  assert.equal(rejects("2A00:1450:4001:081B::9"), true);
  assert.equal(rejects("2a00:1450:4001:81c::9"), false);
});

test("429: one session can make at most twenty attempts an hour, even from changing addresses", async () => {
  const { riskEngine } = open();
  const scope = await createScope();
  const [sessionId, other] = [newId("cs", now), newId("cs", now)];
  for (let times = 0; times < 20; times++) {
    const ip = times % 2 === 0 ? "127.0.0.1" : `8.8.${times}.8`;
    await riskEngine.assess(payment(scope, { ip, sessionId }), "counting");
  }
  const rejects = (fields: Partial<Payment>) =>
    isRejected(() => riskEngine.assertAttemptsWithinLimits(payment(scope, fields)));
  assert.equal(rejects({ sessionId }), true);
  assert.equal(rejects({ sessionId: other }), false);
});

test("429: during card testing from many networks each network can make at most six attempts", async () => {
  const { riskEngine } = open();
  const scope = await createScope();
  const shop = await createScope();
  const { fingerprint } = payment(scope).card;
  const attempt = async (merchant: Payment["scope"], times: number, declined: boolean) => {
    const ip = `8.${Math.floor(times / 200)}.${times % 200}.8`;
    const sessionId = newId("cs", now);
    await riskEngine.assess(payment(merchant, { ip, sessionId }), "counting");
    const fields = { fingerprint, email: null, ip, device: null, sessionId, checks: null };
    riskEngine.recordOutcome(merchant, { ...fields, declined });
  };
  for (let times = 0; times < 120; times++) await attempt(scope, times, times % 10 !== 0);
  for (let times = 0; times < 600; times++) await attempt(shop, times, times % 5 === 0);
  const attacker = { ip: "9.9.9.9", sessionId: null };
  for (let times = 0; times < 6; times++) {
    assert.equal(
      isRejected(() =>
        riskEngine.assertAttemptsWithinLimits(
          payment(scope, { ...attacker, sessionId: newId("cs", now) }),
        ),
      ),
      false,
    );
    for (const merchant of [scope, shop])
      await riskEngine.assess(payment(merchant, attacker), "counting");
  }
  const next = (merchant: Payment["scope"]) =>
    isRejected(() =>
      riskEngine.assertAttemptsWithinLimits(
        payment(merchant, { ...attacker, sessionId: newId("cs", now) }),
      ),
    );
  assert.equal(next(scope), true);
  assert.equal(
    next(shop),
    false,
    "a shop with many declines among many more payments is not attacked",
  );
});

function isRejected(work: () => void): boolean {
  try {
    work();
    return false;
  } catch (error) {
    return error instanceof ApiError && error.status === 429;
  }
}

test("a rule created by another server applies here within seconds", async () => {
  const riskServices = open();
  const scope = await createScope();
  const verdict = async () => (await riskServices.riskEngine.assess(payment(scope))).verdict;
  assert.equal(await verdict(), "approve");
  const loops = [...riskServices.start(), changes.start(testBackground())];
  await database.transaction(async (tx) => {
    await insertRule(tx, {
      id: newId("rule", now),
      scope,
      expression: "true",
      outcome: "decline",
      status: "enabled",
      disabledReason: null,
      description: null,
      metadata: {},
    });
    await incrementRevision(tx, scope);
  });
  await until(verdict, (seen) => seen === "decline");
  await Promise.all(loops.map((loop) => loop.stop()));
});

test("counts from before a stop are shared with later processes", async () => {
  const [one, next] = [open(), open()];
  const scope = await createScope();
  const { fingerprint } = payment(scope).card;
  const declined = {
    fingerprint,
    email: null,
    ip: null,
    device: null,
    sessionId: null,
    declined: true,
    checks: null,
  };
  for (let times = 0; times < 3; times++) one.riskEngine.recordOutcome(scope, declined);
  await one.flush();
  next.riskEngine.recordOutcome(scope, declined);
  await next.flush();
  assert.deepEqual((await next.riskEngine.assess(payment(scope))).reasons, [
    "card_declined_before",
  ]);
});

test("payments that arrive together do not block the event loop with costly rules, and none counts a later attempt", async () => {
  const { riskEngine } = open();
  const scope = await createScope();
  const ip = "203.0.113.7";
  const expression = Array.from({ length: 18 }, (_, n) => `amount / 0 > ${n}`).join(" || ");
  const rest = { disabledReason: null, description: null, metadata: {} };
  await database.transaction(async (tx) => {
    const insert = (outcome: "review" | "decline", expression: string) =>
      insertRule(tx, {
        ...{ id: newId("rule", now), scope, expression, outcome, status: "enabled" },
        ...rest,
      });
    for (let count = 0; count < 15; count++) await insert("review", expression);
    await insert("decline", "ip_attempts_1h > 100");
  });
  await riskEngine.assess(payment(scope));
  const verdicts: string[] = [];
  const blockedMs = await measureBlockMs(() =>
    Promise.all(
      Array.from({ length: 150 }, async () => {
        verdicts.push((await riskEngine.assess(payment(scope, { ip }), "counting")).verdict);
      }),
    ),
  );
  assert.ok(blockedMs <= maxBlockMs, `blocked for ${blockedMs} ms`);
  assert.equal(verdicts.filter((verdict) => verdict === "decline").length, 50);
});
