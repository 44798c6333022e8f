import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { builtEmbed } from "@florin/embed/test/built-embed.ts";
import { printReport } from "../../src/insights/verify/print-report.ts";
import { verify } from "../../src/insights/verify/verify.ts";
import { startAdyen } from "../adyen.ts";
import { typed } from "../checkout.ts";
import { startCheckoutCom } from "../checkout-com.ts";
import { createClient, type Reply } from "../client.ts";
import { createConnectionClient } from "../connection.ts";
import { freePort } from "../free-port.ts";
import { createPerson } from "../person.ts";
import { startShop } from "../shop.ts";
import { slowed } from "../slowness.ts";
import { startStripe } from "../stripe.ts";
import { hour, minute, second } from "../test-clock.ts";
import { dose } from "../test-size.ts";
import { until } from "../until.ts";
import type { AcquirerUnderTest, CaseMerchant } from "./acquirer-under-test.ts";
import { adyenUnderTest } from "./adyen-under-test.ts";
import { checkoutComUnderTest } from "./checkout-com-under-test.ts";
import type { Fault } from "./faults.ts";
import { type Service, startService } from "./service-process.ts";
import { stripeUnderTest } from "./stripe-under-test.ts";

/*
 * The acquirer approves a payment, and the service receives neither the response nor the notification. Before the
 * service knows the outcome, an operator changes the merchant or its connection. In half of the cases, the service is
 * killed before the change and started after it. Every payment gets an outcome, and both ledgers contain the same
 * money.
 */
let service: Service | null = null as Service | null;
// Hooks run in the order of their registration. This one is first, because the service uses the database that a later
// hook drops.
after(() => service?.kill());
const adyen = await startAdyen();
after(() => adyen.close());
const stripe = await startStripe();
after(() => stripe.close());
const checkoutCom = await startCheckoutCom();
after(() => checkoutCom.close());
const acquirerOrigins = { adyen: adyen.url, stripe: stripe.url, checkout_com: checkoutCom.url };
/** The operator's service. It has no workers, so that the service that the test kills does all the work. */
const shop = await startShop({ acquirers: "sandbox", acquirerOrigins, workers: false });
after(() => shop.close());
const port = await freePort();
const origin = `http://127.0.0.1:${port}`;
const client = createClient(origin);
after(() => client.close());
const signIn = () => createPerson(shop, { operator: true, secondFactor: true });
/** Signs in before each run, because a session ends while the clock advances. */
let operator = await signIn();
let connections = createConnectionClient(shop, operator);
const reason = "The merchant leaves.";

const acquirers = [
  adyenUnderTest(shop, adyen, origin),
  stripeUnderTest(shop, stripe, origin),
  checkoutComUnderTest(shop, checkoutCom, origin),
];

type Assignment = {
  readonly id: string;
  readonly version: number;
  readonly connection: string;
  readonly merchant_account: string;
};

/** An operator's change. `complete` is called after the first inquiries. */
type Change = {
  apply(merchant: CaseMerchant, acquirer: AcquirerUnderTest): Promise<void>;
  complete?(merchant: CaseMerchant, acquirer: AcquirerUnderTest): Promise<void>;
};

const changes: Readonly<Record<string, Change>> = {
  "the account is suspended": { apply: ({ account }) => changeAccount(account, "suspend") },
  "the account is closed": { apply: ({ account }) => changeAccount(account, "close") },
  "the assignment is ended and the connection is drained": {
    async apply(merchant) {
      const { id, version, connection } = await assignmentOf(merchant);
      const path = `/operator/v1/assignments/${id}/end`;
      succeeded(await operator.send("POST", path, { version, reason }));
      succeeded(await connections.change("POST", connection, "drain"));
      const early = await connections.change("POST", connection, "retire");
      assert.equal(early.status, 400, "a connection with an unknown outcome cannot be retired");
    },
  },
  "the acquirer revokes the API key, and the operator stores the new one later": {
    apply: (merchant, acquirer) => replaceKeyAtAcquirer(merchant, acquirer),
    async complete(merchant, acquirer) {
      const { connection } = await assignmentOf(merchant);
      const api_key = newKeyOf(connection);
      // The connection test of Adyen uses the merchant account in the settings of the connection.
      if (acquirer.name === "adyen")
        await adyen.control("PUT accounts/FieldwareECOM", { apiKey: api_key });
      succeeded(await connections.change("PUT", connection, "secrets", { api_key }));
    },
  },
};

function succeeded(reply: Reply): Reply {
  assert.equal(reply.status, 200, reply.text);
  return reply;
}

async function changeAccount(account: string, action: "suspend" | "close"): Promise<void> {
  succeeded(await operator.send("POST", `/operator/v1/accounts/${account}/${action}`, { reason }));
}

async function assignmentOf({ account }: CaseMerchant): Promise<Assignment> {
  const path = `/operator/v1/assignments?account=${account}`;
  return succeeded(await operator.send("GET", path)).body.data[0];
}

const newKeyOf = (connection: string) => `sk_sbox_new${connection.replace("con_", "")}`;

/** Makes the acquirer accept only the new key of the merchant's connection. */
async function replaceKeyAtAcquirer(
  merchant: CaseMerchant,
  { name }: AcquirerUnderTest,
): Promise<void> {
  const { connection, merchant_account } = await assignmentOf(merchant);
  const key = newKeyOf(connection);
  const own = (await connections.read(connection)).body.settings.merchant_account as string;
  switch (name) {
    case "adyen":
      await adyen.control(`PUT accounts/${merchant_account}`, { apiKey: key });
      return;
    case "stripe":
      await stripe.control(`PUT accounts/${own}`, { secretKey: key });
      return;
    default:
      await checkoutCom.control(`PUT accounts/${own.replace("pc_", "cli_")}`, { secretKey: key });
  }
}

type Case = {
  readonly acquirer: AcquirerUnderTest;
  readonly name: string;
  readonly change: Change;
  readonly restart: boolean;
  readonly merchant: CaseMerchant;
};

/** In short runs, the service is killed in every second case. Otherwise, each case runs with and without a kill. */
const runsPerCase = dose("runs", { short: 1, long: 2 });

/** Creates a merchant with its own connection for each case. */
async function createCases(): Promise<readonly Case[]> {
  const cases: Case[] = [];
  for (const acquirer of acquirers) {
    for (const [index, [name, change]] of Object.entries(changes).entries()) {
      for (let number = 0; number < runsPerCase; number++) {
        const restart = (acquirers.indexOf(acquirer) + index + number) % 2 === 1;
        const [merchant] = await acquirer.createMerchants(1);
        assert(merchant);
        cases.push({ acquirer, name, change, restart, merchant });
      }
    }
  }
  return cases;
}

/** Returns the faults that lose the outcome. With a restart, the response is late, so that the kill loses it. */
const lostWith = (restart: boolean): readonly Fault[] =>
  restart
    ? ["response after the timeout", "lost notification"]
    : ["lost response and notification"];

/** Pays in a new session. Repeats the confirmation until a service responds. Returns its response. */
async function pay({ acquirer, merchant, restart }: Case): Promise<Reply> {
  const created = await client.send("POST", "/api/v1/checkout_sessions", {
    headers: { authorization: `Bearer ${merchant.key}` },
    body: { amount: 1999, currency: "usd" },
  });
  assert.equal(created.status, 201, created.text);
  const { id } = created.body.session;
  const secret = new URL(created.body.embed_url).hash.slice(1);
  const headers = { authorization: `Bearer ${secret}` };
  const { number, cvc } = acquirer.card;
  const stored = await client.send("POST", "/vault/cards", {
    headers,
    body: { checkout_session_id: id, ...typed(number), cvc },
  });
  assert.equal(stored.status, 201, stored.text);
  for (const fault of lostWith(restart)) await acquirer.inject(merchant, "authorize", fault);
  const deadline = performance.now() + slowed(120_000);
  for (; ; await sleep(100)) {
    const reply = await client
      .send("POST", `/embed/api/checkout_sessions/${id}/confirm`, {
        headers: { ...headers, "idempotency-key": "pay" },
        body: { payment_method_id: stored.body.payment_method_id },
      })
      .catch(() => null);
    if (reply && reply.status < 500 && reply.status !== 409) return reply;
    assert.ok(performance.now() < deadline, `no response to the confirmation: ${reply?.text}`);
  }
}

async function waitUntilReceived(cases: readonly Case[]): Promise<void> {
  await until(
    async () => {
      const missing: Case[] = [];
      for (const acquirer of acquirers) {
        const received = await acquirer.readRequests();
        const own = cases.filter((one) => one.acquirer === acquirer);
        missing.push(...own.filter(({ merchant }) => !received(merchant, "authorize")));
      }
      return missing.length;
    },
    (missing) => missing === 0,
  );
}

async function advance(milliseconds: number): Promise<void> {
  for (const acquirer of acquirers) await acquirer.advanceClock(milliseconds);
  shop.clock.advance(milliseconds);
  await service?.advanceClock(milliseconds);
}

async function repeatNotifications(which: "pending" | "lost"): Promise<void> {
  for (const acquirer of acquirers) await acquirer.repeatNotifications(which);
}

async function countOpen(): Promise<number> {
  const [row] = await shop.app.database.read<{ open: number }>`
    select ((select count(*) from charges where status = 'processing')
          + (select count(*) from acquirer_notifications where state = 'pending'))::int as open`;
  return row?.open ?? 0;
}

/** Advances the clock until every charge has an outcome. */
async function recover(): Promise<void> {
  for (const step of [0, 2 * minute, 16 * minute, 16 * minute, hour, hour, hour]) {
    await advance(step);
    for (let round = 0; round < 5; round++) {
      await repeatNotifications("pending");
      await sleep(slowed(400));
      if ((await countOpen()) === 0) return;
    }
  }
}

/** The number of charges that had no outcome before the lost notifications were sent, for each run. */
const unresolved: number[] = [];

async function run(cases: readonly Case[], restart: boolean): Promise<Map<Case, Reply>> {
  const own = cases.filter((one) => one.restart === restart);
  const replies = new Map<Case, Reply>();
  const paying = own.map(async (one) => void replies.set(one, await pay(one)));
  await waitUntilReceived(own);
  operator = await signIn();
  connections = createConnectionClient(shop, operator);
  if (restart) await service?.kill();
  for (const one of own) await one.change.apply(one.merchant, one.acquirer);
  if (restart) await service?.start();
  await advance(35 * second);
  await sleep(slowed(1_000));
  for (const one of own) await one.change.complete?.(one.merchant, one.acquirer);
  await recover();
  await Promise.all(paying);
  await recover();
  unresolved.push(await countOpen());
  // The acquirer sends the lost notifications after the outcome is known.
  await repeatNotifications("lost");
  await recover();
  return replies;
}

const cases = await createCases();
service = await startService({
  databaseUrl: shop.settings.DATABASE_URL,
  keysDirectory: shop.settings.FLORIN_KEYS,
  embedDirectory: (await builtEmbed()).outdir,
  acquirerOrigins,
  port,
});
const running = (async () => [...(await run(cases, false)), ...(await run(cases, true))])();

async function chargesOf({ key }: CaseMerchant): Promise<Reply["body"][]> {
  return (await shop.get("/charges", { as: key })).body.data;
}

for (const acquirer of acquirers) {
  describe(acquirer.name, () => {
    for (const one of cases.filter((each) => each.acquirer === acquirer)) {
      const killed = one.restart ? " while the service is down" : "";
      test(`if ${one.name}${killed}, a payment whose response and notification are lost gets the same outcome as at the acquirer`, async () => {
        const reply = new Map(await running).get(one);
        const charges = await chargesOf(one.merchant);
        const payments = await acquirer.paymentsOf(one.merchant);
        assert(reply);
        assert.equal(reply.status, 200, reply.text);
        assert.equal(charges.length, 1);
        const [{ status, amount_captured }] = charges;
        // Adyen has no status inquiry, so the service reverses a payment without a notification.
        assert.equal(status, acquirer.name === "adyen" ? "failed" : "succeeded");
        const [payment, ...others] = payments;
        assert(payment);
        assert.deepEqual(others, []);
        assert.equal(payment.capturedMinor, 1999);
        assert.equal(payment.capturedMinor - payment.refundedMinor, amount_captured);
      });
    }
  });
}

test("every charge has an outcome without the lost notifications, both ledgers contain the same money, and nothing waits for an operator", async () => {
  await running;
  assert.deepEqual(unresolved, [0, 0]);
  const { read } = shop.app.database;
  const report = await verify(shop.app.database, { cards: true });
  assert.equal(report.violations, 0, printReport(report));
  assert.deepEqual((await Promise.all(acquirers.map((one) => one.executedTwice()))).flat(), []);
  const [ledger] = await read<{ receivable: number }>`
    select sum(case when debit = 'acquirer_receivable' then amount else -amount end)::int as receivable
      from ledger_transfers
     where livemode and 'acquirer_receivable' in (debit, credit)`;
  const payments = await Promise.all(
    cases.map(({ acquirer, merchant }) => acquirer.paymentsOf(merchant)),
  );
  const atAcquirers = payments
    .flat()
    .reduce((sum, { capturedMinor, refundedMinor }) => sum + capturedMinor - refundedMinor, 0);
  assert.equal(ledger?.receivable, atAcquirers);
  const reviews = await read`
    select problem from acquirer_notifications where state in ('review', 'unmatched')`;
  assert.deepEqual(reviews, []);
});
