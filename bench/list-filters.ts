import { parseArgs } from "node:util";
import { type AccountId, uuidOf } from "@florin/server/core/ids.ts";
import { firstOpenHour, measureOn } from "@florin/server/insights/metrics/hourly-metrics.ts";
import { listUnmeasured } from "@florin/server/insights/metrics/metrics.sql.ts";
import { indexCharges } from "@florin/server/payments/charges/index-charges.ts";
import { connectDatabase } from "@florin/server/platform/database/database.ts";
import pg from "pg";
import { startEnvironment } from "./environment.ts";
import { columnsOf, withoutIndexes } from "./fill-database.ts";
import { fillVariedCharges } from "./fill-varied-charges.ts";
import { percentile } from "./percentile.ts";
import type { Server } from "./processes/server-messages.ts";
import { oneDecimal, table } from "./table.ts";

/**
 * `node bench/list-filters.ts --rows 1000000`: measures the latency of one page of each filter and of the charts, for
 * one of `--merchants` merchants with `--rows` payments each. The script starts a service and sends the requests to it
 * one after another. The goal is 50 ms at the 95th percentile.
 */
const goalMs = 50;

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "1000000" },
    merchants: { type: "string", default: "1" },
    times: { type: "string", default: "40" },
    only: { type: "string", default: "" },
  },
});
const rows = Number(values.rows);
const merchants = Number(values.merchants);
const times = Number(values.times);

const searches = [
  "4242",
  "19.99",
  "customer77@example.com",
  "order=1234",
  "ada smith12",
  "ch_01k",
].map((text) => `query=${encodeURIComponent(text)}`);
/** Search words that match many, some, few and no customers. */
const words = ["search=ada", "search=smith7", "search=smith1234", "search=missing"];
const counts = ["", "status=failed", "last4=4242", "brand=visa&currency=eur", "refunded=true"];

/** The tables that are filled for one merchant and copied to the others. */
const copiedTables = ["charges", "customers", "payment_hours", "payment_hours_progress"];

const environment = await startEnvironment({ rows: 0, profile: false });
try {
  process.exitCode = await measure();
} finally {
  await environment.close();
}

async function measure(): Promise<number> {
  // The server runs no jobs, because they would process payments that the acquirer does not have.
  const server = await environment.serverWithoutJobs(merchants - 1);
  const [first, ...others] = [...server.merchants, server.merchant].map(({ account }) => account);
  const filters = await fill(server, first as AccountId, others);

  const lines: string[][] = [];
  let missed = 0;
  const requested = [...filters].map(([name, queries]) => [name, "charges", queries] as const);
  const daysAgo = (days: number) => Math.floor(Date.now() / 1000) - days * 86_400;
  const charts = [`interval=day&from=${daysAgo(90)}`, `interval=hour&from=${daysAgo(7)}`];
  for (const [name, path, queries] of [
    ...requested,
    ["charts", "metrics/payments", charts] as const,
    ["search by one text", "search", searches] as const,
    ["customers, words", "customers", words] as const,
    ["count", "charges/count", counts] as const,
  ]) {
    if (!name.includes(values.only)) continue;
    const { p50, p95, found } = await timePages(server, path, queries);
    if (p95 > goalMs) missed++;
    lines.push([
      name,
      oneDecimal(p50),
      oneDecimal(p95),
      String(found),
      p95 > goalMs ? "MISSED" : "met",
    ]);
  }
  console.log(`\n${table(["filter", "p50 ms", "p95 ms", "rows on a page", ""], lines)}`);
  return missed === 0 ? 0 : 1;
}

/** Fills the payments of one merchant, and copies them to the others. Returns the filters to measure. */
async function fill(server: Server, account: AccountId, others: readonly AccountId[]) {
  const client = new pg.Client({ connectionString: server.databaseUrl });
  await client.connect();
  try {
    const { filters } = await fillVariedCharges(client, account, rows);
    await fillCustomers(client, account);
    await runIndexingJobs(server, account);
    if (others.length > 0) {
      await withoutIndexes(client, [...copiedTables, "charge_search"], async () => {
        await copyToOthers(client, account, others);
        await indexForSearch(server, others);
      });
    }
    await client.query("vacuum analyze");
    await client.query("checkpoint");
    await printSizes(client);
    return filters;
  } finally {
    await client.end();
  }
}

/** Inserts one customer of the merchant for every five of its charges. */
async function fillCustomers(client: pg.Client, account: AccountId): Promise<void> {
  await client.query(
    `insert into customers (account_id, livemode, id, name, email)
     select $1, false, (lpad(to_hex(1700000000000 + n), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' ||
                        substr(md5(n::text), 4, 15))::uuid,
            (array['Ada','Grace','Alan','Katherine'])[1 + n % 4] || ' Smith' || n % 5000,
            'customer' || n || '@example.com'
       from generate_series(1, $2::integer) as n`,
    [uuidOf(account), Math.ceil(rows / 5)],
  );
}

/** Indexes the charges for search and counts their metrics, as the jobs do shortly after a charge. */
async function runIndexingJobs(server: Server, account: AccountId): Promise<void> {
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  await indexForSearch(server, [account]);
  const database = connect(server);
  const now = new Date();
  const before = firstOpenHour(now);
  for (;;) {
    const [next] = await listUnmeasured(database.read, before);
    if (!next) break;
    await database.transaction((tx) => measureOn(tx, next.scope, next.hour, now));
  }
  const { user, system } = process.cpuUsage(cpu);
  await database.close();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.error(
    `Indexed for search and metrics in ${seconds} s, with ${((user + system) / rows).toFixed(0)} µs of the service's CPU time per charge.`,
  );
}

async function indexForSearch(server: Server, accounts: readonly AccountId[]): Promise<void> {
  const database = connect(server);
  for (const account of accounts) {
    const scope = { account, livemode: false };
    while (await database.transaction((tx) => indexCharges(tx, scope, new Date())));
  }
  await database.close();
}

function connect({ databaseUrl }: Server) {
  return connectDatabase({ url: databaseUrl, poolSize: 1, onIdleError: console.error });
}

/**
 * Copies the rows of one merchant to other merchants. The copies of a row follow each other in the table, as if the
 * merchants had taken turns. The search index is not copied, because its words are hashed with the account.
 */
async function copyToOthers(
  client: pg.Client,
  account: AccountId,
  others: readonly AccountId[],
): Promise<void> {
  console.error(`Copying the rows to ${others.length.toLocaleString("en-US")} merchants.`);
  for (const table of copiedTables) {
    const columns = await columnsOf(client, table);
    const names = columns.filter((name) => name !== "account_id").join(", ");
    await client.query(
      `insert into ${table} (account_id, ${names})
       select other.account, ${names}
         from (select * from ${table} where account_id = $1) as original
        cross join unnest($2::uuid[]) as other (account)`,
      [uuidOf(account), others.map(uuidOf)],
    );
  }
}

async function printSizes(client: pg.Client): Promise<void> {
  const { rows: sizes } = await client.query(
    "select pg_size_pretty(pg_total_relation_size('charge_search')) as search, pg_size_pretty(pg_total_relation_size('charges')) as charges",
  );
  console.error(`The charges use ${sizes[0].charges}, the search index ${sizes[0].search}.`);
}

async function timePages({ url, merchant }: Server, path: string, queries: readonly string[]) {
  const headers = { authorization: `Bearer ${merchant.secretKey}` };
  const latenciesMs = new Float64Array(times);
  let found = 0;
  for (let n = 0; n < times; n++) {
    const query = queries[n % queries.length] as string;
    const startedAt = performance.now();
    const response = await fetch(`${url}/api/v1/${path}?${query}`, { headers });
    const { data, count } = (await response.json()) as { data?: unknown[]; count?: number };
    latenciesMs[n] = performance.now() - startedAt;
    const length = data?.length ?? count;
    if (length === undefined) throw new Error(`${query} was rejected`);
    found = Math.max(found, length);
  }
  return { p50: percentile(latenciesMs, 0.5), p95: percentile(latenciesMs, 0.95), found };
}
