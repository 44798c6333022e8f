import { setTimeout as sleep } from "node:timers/promises";
import { type AccountId, firstUuidAt, uuidOf } from "@florin/server/core/ids.ts";
import pg from "pg";

/** The number of rows of each kind that were written for the charges of a load. */
export type RowCounts = {
  readonly charges: number;
  readonly approvals: number;
  readonly transfers: number;
  readonly events: number;
  readonly deliveries: number;
  readonly responses: number;
};

/** The merchants of a load, in the mode of the load. */
export type Accounts = { readonly accounts: readonly AccountId[]; readonly livemode?: boolean };

/**
 * Waits for charges in flight, then counts the rows that were written since the given time. The approvals are counted
 * in the simulator's ledger, so in live mode their number is 0.
 */
export async function countRows(
  databaseUrl: string,
  { accounts, livemode = false }: Accounts,
  since: Date,
): Promise<RowCounts> {
  await untilNoneInFlight(databaseUrl, { accounts, livemode }, since);
  return withClient(databaseUrl, async (client) => {
    const key = [accounts.map(uuidOf), firstUuidAt(since), livemode];
    return (await client.query<RowCounts>(rows, key)).rows[0] as RowCounts;
  });
}

/** Waits, for about five seconds at most, until no charge that was created since the given time is in flight. */
export async function untilNoneInFlight(
  databaseUrl: string,
  { accounts, livemode = false }: Accounts,
  since: Date,
): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    const key = [accounts.map(uuidOf), firstUuidAt(since), livemode];
    for (let attemptsLeft = 100; attemptsLeft > 0; attemptsLeft--) {
      if ((await firstNumber(client, inFlight, key)) === 0) return;
      await sleep(50);
    }
  });
}

/** The size of a database, the position of its write-ahead log, and the number of the service's connections to it. */
export type DatabaseState = {
  readonly bytes: number;
  readonly walBytes: number;
  readonly connections: number;
};

export async function readDatabaseState(databaseUrl: string): Promise<DatabaseState> {
  const query = `
    select pg_database_size(current_database())::float8 as bytes,
           pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as "walBytes",
           (select count(*)::int from pg_stat_activity
             where datname = current_database() and pid <> pg_backend_pid()
               and backend_type = 'client backend') as connections
  `;
  return withClient(
    databaseUrl,
    async (client) => (await client.query<DatabaseState>(query)).rows[0] as DatabaseState,
  );
}

/** Counts webhooks that are still pending. */
export async function countBacklog(
  databaseUrl: string,
  accounts: readonly AccountId[],
): Promise<number> {
  return withClient(databaseUrl, (client) =>
    firstNumber(
      client,
      "select count(*)::int as n from webhook_deliveries where account_id = any ($1::uuid[]) and status = 'pending'",
      [accounts.map(uuidOf)],
    ),
  );
}

/**
 * Waits until the service has stored as many notifications of acquirers as were sent since the given time. Throws after
 * the timeout.
 */
export async function untilNotifications(
  databaseUrl: string,
  since: Date,
  count: number,
  timeoutMs: number,
): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    const giveUpAt = Date.now() + timeoutMs;
    const query = "select count(*)::int as n from acquirer_notifications where id >= $1";
    for (;;) {
      const stored = await firstNumber(client, query, [firstUuidAt(since)]);
      if (stored >= count) return;
      if (Date.now() > giveUpAt) throw new Error(`${stored} of ${count} notifications arrived`);
      await sleep(50);
    }
  });
}

const ofMerchants = "account_id = any ($1::uuid[]) and livemode = $3 and";

const inFlight = `select count(*)::int as n from charges where ${ofMerchants} id >= $2 and status = 'processing'`;

/** Ids are UUIDv7, so the rows inserted since a time are a contiguous range of each primary key. */
const rows = `
  select (select count(*)::int from charges where ${ofMerchants} id >= $2 and status = 'succeeded') as charges,
         (select count(*)::int from simulator.authorizations
           where merchant = any ($1::uuid[]) and not $3 and reference >= $2 and state = 'approved') as approvals,
         (select count(*)::int from ledger_transfers where ${ofMerchants} entry_id >= $2) as transfers,
         (select count(*)::int from events where ${ofMerchants} id >= $2) as events,
         (select count(*)::int from webhook_deliveries where ${ofMerchants} id >= $2) as deliveries,
         (select count(*)::int from idempotency_keys where ${ofMerchants} charge_id >= $2 and status_code is not null) as responses
`;

/**
 * Returns a sentence for each violated guarantee. At the end of the load, each connection may have one request in
 * flight whose response is not read. The number of charges may therefore exceed the number of responses by up to the
 * number of connections, but is never lower.
 */
export function findViolations(
  counts: RowCounts,
  expected: { succeeded: number; connections: number; endpoints: number },
): string[] {
  const { charges } = counts;
  const { succeeded, connections, endpoints } = expected;
  const violations: string[] = [];
  if (charges < succeeded || charges > succeeded + connections) {
    violations.push(`${succeeded} charges were acknowledged, but ${charges} exist`);
  }
  const each: readonly (readonly [keyof RowCounts, number])[] = [
    ["approvals", 1],
    ["transfers", 2],
    ["events", 1],
    ["deliveries", endpoints],
    ["responses", 1],
  ];
  for (const [name, perCharge] of each) {
    if (counts[name] === charges * perCharge) continue;
    violations.push(
      `${charges} charges have ${counts[name]} ${name}, expected ${charges * perCharge}`,
    );
  }
  return violations;
}

async function firstNumber(client: pg.Client, text: string, values: unknown[]): Promise<number> {
  const { rows: found } = await client.query<{ n: number }>(text, values);
  return found[0]?.n ?? 0;
}

async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url, application_name: "florin bench" });
  await client.connect();
  return work(client).finally(() => client.end());
}
