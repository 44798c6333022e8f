import { parseArgs } from "node:util";
import { dayMs, dayOf } from "@florin/server/core/utc-day.ts";
import { verify } from "@florin/server/insights/verify/verify.ts";
import { updateCheckpoints } from "@florin/server/payments/balance/checkpoint.jobs.ts";
import { connectDatabase, type Database } from "@florin/server/platform/database/database.ts";
import { reconcileDay } from "@florin/server/reconciliation/reconcile-day.ts";
import { createSettlement } from "@florin/simulator/settlement.ts";
import pg from "pg";
import { startEnvironment } from "./environment.ts";
import { fillDatabase } from "./fill-database.ts";
import { percentile } from "./percentile.ts";
import type { Server } from "./processes/server-messages.ts";
import { oneDecimal, table } from "./table.ts";

/**
 * `node bench/years.ts --rows 1600000 --days 16`: measures the balance, the reconciliation of a day and the command
 * `florin verify` on a database in which one merchant has `--rows` payments of the last `--days` days. `--only` selects
 * one of `reconciliation` and `verify`. A reconciliation compares the payments of 14 days. Its goal is 60 s for 100,000
 * payments a day. The copied responses belong to another charge, so `responses_match_charges` finds violations.
 */
const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "1600000" },
    days: { type: "string", default: "16" },
    only: { type: "string", default: "" },
  },
});
const rows = Number(values.rows);

const environment = await startEnvironment({ rows: 0, profile: false });
try {
  await measure();
} finally {
  await environment.close();
}

async function measure(): Promise<void> {
  const server = await environment.serverWithoutJobs();
  await timed("fill", () => fillDatabase(server, rows, { days: Number(values.days) }));
  const database = connectDatabase({
    url: server.databaseUrl,
    poolSize: 2,
    onIdleError: console.error,
  });
  await timed("checkpoints", async () => {
    while (!(await updateCheckpoints(database)));
  });

  const balances: number[] = [];
  for (let n = 0; n < 50; n++) {
    const startedAt = performance.now();
    await fetch(`${server.url}/api/v1/balance`, {
      headers: { authorization: `Bearer ${server.merchant.secretKey}` },
    });
    balances.push(performance.now() - startedAt);
  }
  console.log(
    `GET /balance: p50 ${oneDecimal(percentile(Float64Array.from(balances).sort(), 0.5))} ms`,
  );

  if (values.only !== "verify") await measureReconciliation(server, database);
  if (values.only !== "reconciliation") await measureVerify(database);
  await database.close();
}

async function measureReconciliation(server: Server, database: Database): Promise<void> {
  const clock = { now: () => new Date() };
  const scope = { account: server.merchant.account, livemode: false };
  const day = dayOf(new Date(Date.now() - dayMs));
  await timed("settlement files of earlier days", () =>
    insertEarlierFiles(server.databaseUrl, day),
  );
  const settlement = createSettlement(database, clock);
  for (const run of ["first", "second"]) {
    const deps = { database, clock, settlementsOf: () => settlement };
    const { result, seconds } = await timed(`reconciliation, ${run} run`, () =>
      reconcileDay(deps, settlement, scope, day),
    );
    console.log(
      `reconciliation of ${day}, ${run} run: ${seconds} s, ${JSON.stringify(result.outcome)}`,
    );
  }
}

async function measureVerify(database: Database): Promise<void> {
  const hourMs = 60 * 60 * 1000;
  for (const hours of [1, 24]) {
    const since = new Date(Date.now() - hours * hourMs);
    const { result, seconds } = await timed("verify", () => verify(database, { since }));
    const charges = result.results.find(({ name }) => name === "payments_are_in_ledger")?.examined;
    console.log(`florin verify --since ${hours}h: ${seconds} s, ${charges} charges examined`);
  }
  const { result: report, seconds } = await timed("verify", () => verify(database));
  const lines = report.results
    .toSorted((one, other) => other.durationMs - one.durationMs)
    .map(({ name, durationMs, examined, violations }) => [
      name,
      oneDecimal(durationMs / 1000),
      String(examined),
      String(violations),
    ]);
  console.log(
    `florin verify: ${seconds} s\n${table(["check", "s", "examined", "violations"], lines)}`,
  );
}

/** Inserts the settlement files of the 15 days before `day`, because a reconciliation compares 14 days. */
async function insertEarlierFiles(databaseUrl: string, day: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query("set synchronous_commit = off");
  await client.query(
    `insert into settlement_files (account_id, livemode, id, day, processor, state, until)
     select a.account_id, false, gen_random_uuid(), d::date, 'simulator', 'received', d + interval '1 day'
       from (select distinct account_id from charges) a
      cross join generate_series($1::timestamptz - interval '15 days', $1::timestamptz - interval '1 day', '1 day') d`,
    [`${day}T00:00:00Z`],
  );
  await client.query(
    `insert into settlement_lines (account_id, livemode, file_id, line, type, noun, subject, reference, posted_at, currency, amount, fee)
     select c.account_id, false, f.id, row_number() over (partition by f.id order by c.id), 'capture', 'charge', c.id,
            'ch', c.finalized_at, c.currency, c.amount_captured, 0
       from settlement_files f
       join charges c on c.account_id = f.account_id and c.finalized_at >= f.until - interval '1 day'
                     and c.finalized_at < f.until`,
  );
  await client.query("vacuum analyze settlement_lines");
  await client.end();
}

async function timed<Result>(
  name: string,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly seconds: string }> {
  const startedAt = performance.now();
  const result = await work();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.error(`${name}: ${seconds} s`);
  return { result, seconds };
}
