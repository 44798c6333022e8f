import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type AccountId, idFromUuid } from "../../src/core/ids.ts";
import { printReport } from "../../src/insights/verify/print-report.ts";
import { verify } from "../../src/insights/verify/verify.ts";
import { connectAdyen, type LiveMerchant, pay, startAdyen } from "../adyen.ts";
import { fakeOwes, ledgerOwed } from "../adyen-ledgers.ts";
import { createCheckout } from "../checkout.ts";
import { freePort } from "../free-port.ts";
import { createPerson } from "../person.ts";
import { startShop } from "../shop.ts";
import { slowed } from "../slowness.ts";
import { dose, seed } from "../test-size.ts";
import { until } from "../until.ts";
import { startLiveServer } from "./live-server.ts";
import { seededRandom } from "./seeded-random.ts";

/*
 * Kills the service while it applies settlement reports, each with lines of several merchants. Afterwards the ledger of
 * each merchant must contain its lines exactly once.
 */
const rounds = dose("rounds", { short: 1, long: 300 });
const batchesPerRound = 4;

const adyen = await startAdyen();
after(() => adyen.close());
/**
 * Serves payments and uploads of reports. It has no workers, so only the servers that the test kills apply the reports.
 */
const shop = await startShop({
  acquirers: "sandbox",
  acquirerOrigins: { adyen: adyen.url },
  workers: false,
});
after(() => shop.close());
const port = await freePort();
const origin = `http://127.0.0.1:${port}`;
const merchantAccount = "FieldwareECOM";
const first = await connectAdyen(shop, adyen, { origin, merchantAccount });
const operator = await createPerson(shop, { operator: true, secondFactor: true });
const merchants = [first, await assignAnother(), await assignAnother()];
const start = () => startLiveServer(shop, { adyen: adyen.url }, port);

async function assignAnother(): Promise<LiveMerchant> {
  const { account } = await shop.createMerchant({ status: "approved" });
  const assigned = await operator.send("POST", "/operator/v1/assignments", {
    account,
    connection: first.connection,
    merchant_account: merchantAccount,
    mcc: "5941",
    reason: "Agreed with the merchant.",
  });
  assert.equal(assigned.status, 201, assigned.text);
  return { account, key: (await shop.issueKey(account, true)).secret };
}

/** The merchant of each charge. */
const accountOf = new Map<string, AccountId>();

/** Pays at each merchant and closes the batch. Returns the batch. */
async function settleBatch(random: ReturnType<typeof seededRandom>): Promise<Batch> {
  await Promise.all(
    merchants.map(async ({ account, key }) => {
      const browser = await createCheckout(shop, { amount: random.between(500, 90_000) }, key);
      await pay(browser);
      const { data } = (await shop.get("/charges?limit=1", { as: key })).body;
      assert.equal(data[0].status, "succeeded");
      accountOf.set(data[0].id, account);
    }),
  );
  // The test uploads the report, because the server that would download it may be killed.
  await adyen.fault("reports", "lost_notification");
  const { settlement } = await adyen.control<{ settlement: Batch }>("POST settlements", {
    merchantAccount,
  });
  return settlement;
}

async function upload({ report }: Batch): Promise<void> {
  const path = `/operator/v1/connections/${first.connection}/reports?file_name=report.csv`;
  const headers = { "content-type": "text/csv" };
  const stored = await operator.send("POST", path, report, headers);
  assert.equal(stored.status, 201, stored.text);
}

type Batch = {
  readonly number: number;
  readonly report: string;
  readonly payouts: Readonly<Record<string, number>>;
};

/** Returns one text per payment in the report, in the form that `readPosted` returns. */
function netByAccount({ number, report }: Batch): string[] {
  const [head = "", ...lines] = report.trimEnd().split("\n");
  const columns = head.split(",");
  return lines.flatMap((line) => {
    const cells = line.split(",");
    const cell = (name: string) => cells[columns.indexOf(name)] ?? "";
    const account = accountOf.get(cell("Merchant Reference"));
    if (!account) return [];
    const cents = (name: string) => Math.round(Number(cell(name) || 0) * 100);
    const net = cents("Net Credit (NC)") - cents("Net Debit (NC)");
    return [`batch ${number}, ${account}: ${net} net, ${net} paid`];
  });
}

async function readPosted(): Promise<string[]> {
  const rows = await shop.app.database.read<{
    account_id: string;
    batch: string;
    net: number;
    paid: number;
  }>`
    select account_id, batch, net, paid from settlements where livemode`;
  return rows.map(
    ({ account_id, batch, net, paid }) =>
      `batch ${batch}, ${idFromUuid("acct", account_id)}: ${net} net, ${paid} paid`,
  );
}

async function countUnapplied(): Promise<number> {
  const [row] = await shop.app.database.read<{ count: number }>`
    select count(*)::int as count from settlement_reports where applied_at is null`;
  return row?.count ?? 0;
}

/** Returns the number of transactions that wait in the trigger, which means that a report is being posted. */
async function countPosting(): Promise<number> {
  const [row] = await shop.app.database.read<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
     where datname = current_database() and wait_event = 'PgSleep'`;
  return row?.count ?? 0;
}

/** Slows down each posting, so that the servers are killed in the middle of a report and not between two reports. */
async function slowPostings(): Promise<void> {
  const { database } = shop.app;
  await database.autocommit(
    (tx) => tx`
      create function slow_settlement() returns trigger language plpgsql as
        $$ begin perform pg_sleep(0.2); return new; end $$`,
  );
  await database.autocommit(
    (tx) => tx`
      create trigger slow_settlement after insert on settlements
         for each row execute function slow_settlement()`,
  );
}

test(`servers that are killed ${rounds} times post each settlement report exactly once (seed ${seed})`, async (t) => {
  const random = seededRandom(seed);
  await slowPostings();
  let server = await start();
  t.after(() => server.kill());
  const batches: Batch[] = [];
  let interrupted = 0;
  for (let round = 0; round < rounds; round++) {
    const closed: Batch[] = [];
    for (let batch = 0; batch < batchesPerRound; batch++) closed.push(await settleBatch(random));
    for (const batch of closed) await upload(batch);
    batches.push(...closed);
    await until(countPosting, (count) => count > 0);
    await sleep(random.between(0, 400));
    await server.kill();
    if ((await countUnapplied()) > 0) interrupted++;
    server = await start();
  }
  await until(
    async () => {
      await adyen.repeatNotifications("pending");
      return countUnapplied();
    },
    (count) => count === 0,
    slowed(15_000 + rounds * 1_000),
  );
  t.diagnostic(`${batches.length} reports, ${interrupted} kills while reports were applied`);
  assert.ok(interrupted > 0, "no server was killed while it applied reports");

  assert.deepEqual((await readPosted()).sort(), batches.flatMap(netByAccount).sort());
  const accounts = merchants.map(({ account }) => account);
  const owed = await ledgerOwed(shop.app.database.read, accounts);
  assert.deepEqual(owed, await fakeOwes(adyen));
  const [paid] = await shop.app.database.read<{ amount: number }>`
    select sum(amount)::bigint as amount from payouts where livemode and status = 'paid'`;
  assert.equal(
    paid?.amount,
    batches.reduce((sum, { payouts }) => sum + (payouts.USD ?? 0), 0),
  );
  const report = await verify(shop.app.database, { cards: true });
  assert.equal(report.violations, 0, printReport(report));
});
