import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { idFromUuid } from "../../src/core/ids.ts";
import { printReport } from "../../src/insights/verify/print-report.ts";
import { verify } from "../../src/insights/verify/verify.ts";
import { approvedCard } from "../adyen.ts";
import { typed } from "../checkout.ts";
import { type Client, createClient, type Reply } from "../client.ts";
import type { PaymentAtAcquirer } from "../conformance/acquirer-under-test.ts";
import { freePort } from "../free-port.ts";
import { startShop } from "../shop.ts";
import { slowed } from "../slowness.ts";
import { dose, seed } from "../test-size.ts";
import { createLiveMerchant, startFakeAcquirers } from "./fake-acquirers.ts";
import { startLiveServer } from "./live-server.ts";
import { seededRandom } from "./seeded-random.ts";

/*
 * Kills the service while live sessions are paid and refunded at the fakes of the acquirers, whose ledgers are in this
 * process. Each merchant has connections to two acquirers, so that charges fail over from one to the other. Afterwards
 * the service's ledger and the ledgers of the fakes must contain the same money.
 */
const rounds = dose("rounds", { short: 1, long: 1_000 });

const fakes = await startFakeAcquirers();
after(() => fakes.close());
/**
 * Used only to set up the merchants' access to the acquirers. It has no workers, so the servers that the test kills do
 * all the work.
 */
const shop = await startShop({
  acquirers: "sandbox",
  acquirerOrigins: fakes.origins,
  workers: false,
});
after(() => shop.close());

/** The servers take turns on one port, because each acquirer sends notifications to one URL. */
const port = await freePort();
const origin = `http://127.0.0.1:${port}`;
const acquirers = await fakes.connect(shop, origin);
/**
 * The merchants have different first acquirers. A charge that the first acquirer does not process is sent to the second
 * one.
 */
const merchants = await Promise.all(
  acquirers.map(async (first, index) => {
    const second = acquirers[(index + 1) % acquirers.length] as typeof first;
    return { ...(await createLiveMerchant(shop, [first, second])), first };
  }),
);
type Merchant = (typeof merchants)[number];
const client = createClient(origin);
const start = () => startLiveServer(shop, fakes.origins, port);
after(() => client.close());

test(`live payments are neither lost nor paid twice while the service is killed ${rounds} times (seed ${seed})`, async (t) => {
  const random = seededRandom(seed);
  let server = await start();
  let load = true;
  t.after(() => {
    load = false;
    return server.kill();
  });
  const paid = new Set<string>();
  const running = new Set<Promise<void>>();
  const loading = (async () => {
    for (let number = 0; load; number++) {
      const merchant = random.pick(merchants);
      const { first } = merchant;
      const buyer = buy(merchant, number, random.happens(0.3)).then((session) => {
        if (session) paid.add(session);
      });
      const done = buyer.finally(() => running.delete(done));
      running.add(done);
      if (random.happens(0.05)) await first.fault("authorize", random.pick(lostResponses));
      // Each request to this acquirer uses up one of the faults. A charge fails over after three faults.
      if (number % 80 === 0) await first.fault("authorize", "too_many_requests", { times: 30 });
      if (random.happens(0.05)) await first.fault("refund", random.pick(lostResponses));
      await sleep(random.between(50, 200));
    }
  })();
  for (let round = 0; round < rounds; round++) {
    await sleep(random.between(200, 1_200));
    await server.kill();
    lastKillAt = performance.now();
    server = await start();
    await repeatNotifications();
  }
  load = false;
  await loading;
  // Remaining faults would delay the retries of refunds by up to minutes.
  for (const acquirer of acquirers) await acquirer.clearFaults();
  await Promise.all(running);

  const payments = await deliverAll();
  const charges = await readCharges();
  const counts = Object.entries(Object.groupBy(charges, ({ status }) => status)).map(
    ([status, some = []]) => `${some.length} ${status}`,
  );
  t.diagnostic(`${counts.join(", ")}; ${payments.length} payments, ${paid.size} acknowledged`);
  assert.ok(charges.length > rounds, "too few charges for a meaningful test");

  const attempts = await countAttempts();
  t.diagnostic(`${attempts} charges were sent over the second connection`);
  assert.ok(rounds < 10 || attempts > 0, "no charge was sent over the second connection");

  const byCharge = Map.groupBy(payments, ({ charge }) => charge);
  for (const charge of charges) {
    const own = byCharge.get(charge.id) ?? [];
    const kept = own.filter((payment) => heldOrKept(payment) > 0);
    assert.ok(kept.length <= 1, `${charge.id} was charged twice: ${JSON.stringify(own)}`);
    const atAcquirer = kept[0] ? heldOrKept(kept[0]) : 0;
    const inService = charge.captured - charge.refunded;
    assert.equal(atAcquirer, inService, `${charge.id} ${charge.status}: ${JSON.stringify(own)}`);
  }
  const known = new Set<string>(charges.map(({ id }) => id));
  assert.deepEqual(
    payments.filter(({ charge }) => !known.has(charge)),
    [],
    "an acquirer has a payment without a charge",
  );
  for (const session of paid) {
    assert.ok(
      charges.some((charge) => charge.session === session && charge.status === "succeeded"),
      `${session} was acknowledged as paid`,
    );
  }
  const report = await verify(shop.app.database, { cards: true });
  assert.equal(report.violations, 0, printReport(report));
});

/** Returns the money that the cardholder has paid or that is held, in minor units. */
const heldOrKept = ({ heldMinor, capturedMinor, refundedMinor }: PaymentAtAcquirer) =>
  heldMinor + capturedMinor - refundedMinor;

/** Sends again all notifications that no server has received, and returns their number. */
async function repeatNotifications(): Promise<number> {
  let sent = 0;
  for (const acquirer of acquirers) sent += await acquirer.repeatNotifications();
  return sent;
}

const lostResponses = ["cut_before_response", "cut_in_body", "html_502"] as const;

/**
 * Pays in a new session, and refunds a part if `refunds` is true. Returns the session's ID, or null if the service did
 * not report the session as paid.
 */
async function buy({ key }: Merchant, number: number, refunds: boolean): Promise<string | null> {
  const as = { authorization: `Bearer ${key}` };
  const created = await persist("POST", "/api/v1/checkout_sessions", {
    headers: { ...as, "idempotency-key": `session ${number}` },
    body: { amount: 1999, currency: "usd" },
  });
  assert.equal(created.status, 201, created.text);
  const { id } = created.body.session;
  const secret = new URL(created.body.embed_url).hash.slice(1);
  const headers = { authorization: `Bearer ${secret}` };
  const stored = await persist("POST", "/vault/cards", {
    headers,
    body: { checkout_session_id: id, ...typed(approvedCard.number), cvc: approvedCard.cvc },
  });
  if (stored.status !== 201) return null;
  const confirmed = await persist("POST", `/embed/api/checkout_sessions/${id}/confirm`, {
    headers: { ...headers, "idempotency-key": "pay" },
    body: { payment_method_id: stored.body.payment_method_id },
  });
  if (confirmed.body?.payment_status !== "paid") return null;
  if (refunds) {
    const { charge_id } = (await persist("GET", `/api/v1/checkout_sessions/${id}`, { headers: as }))
      .body;
    await persist("POST", "/api/v1/refunds", {
      headers: { ...as, "idempotency-key": `refund ${number}` },
      body: { charge_id, amount: 500 },
    });
  }
  return id;
}

/** The time of the last kill. */
let lastKillAt = performance.now();

/**
 * The maximum time from the last kill until every request has its response. A request whose charge has an unknown
 * outcome receives its response only after no server has been killed for a while, so it can wait through many kills.
 */
const maxResponseMs = slowed(120_000);

/** Sends a request until a server responds, as a client with an idempotency key does. */
async function persist(...[method, path, sent]: Parameters<Client["send"]>): Promise<Reply> {
  for (; ; await sleep(100)) {
    const reply = await client.send(method, path, sent ?? {}).catch(() => null);
    if (reply && reply.status < 500 && reply.status !== 409) return reply;
    assert.ok(performance.now() < lastKillAt + maxResponseMs, `${method} ${path}: ${reply?.text}`);
  }
}

/**
 * Repeats the notifications that no server received, until the service has applied all notifications and completed all
 * operations. Returns the payments at all acquirers.
 */
async function deliverAll(): Promise<readonly PaymentAtAcquirer[]> {
  const { database } = shop.app;
  for (const deadline = performance.now() + slowed(60_000); ; await sleep(200)) {
    const sent = await repeatNotifications();
    const [row] = await database.read<{ waiting: number; open: number }>`
      select (select count(*) from acquirer_notifications where state = 'pending')::int as waiting,
             (select count(*) from operations where status = 'processing')::int as open`;
    if (sent === 0 && row?.waiting === 0 && row.open === 0) {
      return (await Promise.all(acquirers.map((acquirer) => acquirer.payments()))).flat();
    }
    assert.ok(performance.now() < deadline, `still open: ${JSON.stringify(row)}`);
  }
}

async function countAttempts(): Promise<number> {
  const [row] = await shop.app.database.read<{ count: number }>`
    select count(*)::int as count from charge_attempts`;
  return row?.count ?? 0;
}

async function readCharges() {
  const rows = await shop.app.database.read<{
    id: string;
    status: string;
    amount_captured: number;
    amount_refunded: number;
    checkout_session_id: string;
  }>`
    select id, status, amount_captured, amount_refunded, checkout_session_id
      from charges
     where livemode`;
  return rows.map((row) => ({
    id: idFromUuid("ch", row.id),
    status: row.status,
    captured: row.amount_captured,
    refunded: row.amount_refunded,
    session: idFromUuid("cs", row.checkout_session_id),
  }));
}
