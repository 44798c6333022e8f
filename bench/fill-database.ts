import { type AccountId, uuidOf } from "@florin/server/core/ids.ts";
import { partitionedTables } from "@florin/server/platform/partitions/partition.sql.ts";
import { weekOf } from "@florin/server/platform/partitions/week.ts";
import pg from "pg";
import { type Caller, createCharge } from "./charge-request.ts";

export type FillOptions = {
  /** The period over which the charges are spread. */
  readonly days?: number;
  /** The age of the newest charge. */
  readonly newestDays?: number;
  /**
   * The merchants to which the charges are assigned in rotation. Defaults to the merchant that creates the original
   * charge.
   */
  readonly accounts?: readonly AccountId[];
};

/** After 30 days, the events and the idempotency keys of a charge have been deleted. */
const eventDays = 30;

/**
 * Fills a database with final charges, spread evenly over the last days. One charge is made through the API,
 * and its rows in every table are copied under new ids.
 */
export async function fillDatabase(
  server: Caller & { readonly databaseUrl: string },
  count: number,
  { days = 30, newestDays = 0, accounts = [] }: FillOptions = {},
): Promise<void> {
  console.error(`Filling a database with ${count.toLocaleString("en-US")} charges.`);
  await createCharge(server, "original charge");
  const client = new pg.Client({ connectionString: server.databaseUrl });
  await client.connect();
  try {
    // A crash may lose these rows, but then the whole run must be repeated anyway.
    await client.query("set synchronous_commit = off");
    await client.query(fillNumbers, [count, days, newestDays, accounts.map(uuidOf)]);
    await createPastWeeks(client);
    const filled = copies.filter(({ isDeleted }) => !isDeleted || newestDays <= eventDays);
    const tables = filled.map(({ table }) => table);
    await withoutIndexes(client, tables, async () => {
      for (const { table, changed } of filled) {
        await client.query(await copyStatement(client, table, changed));
      }
    });
    await client.query("vacuum analyze");
    // Writes the filled pages to disk now, so that no checkpoint writes them during the measurement.
    await client.query("checkpoint");
  } finally {
    await client.end();
  }
}

/**
 * Fills tables without their indexes, except those of constraints, and then creates the indexes again. Sorting all rows
 * once is several times faster than inserting each row into every index.
 */
export async function withoutIndexes(
  client: pg.Client,
  tables: readonly string[],
  fill: () => Promise<void>,
): Promise<void> {
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name,
            -- The definition of the index of a partitioned table excludes its partitions.
            replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as definition
       from pg_index
      where indrelid = any ($1::regclass[])
        and not exists (select from pg_constraint where conindid = indexrelid)`,
    [tables],
  );
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  await fill();
  console.error(`Creating ${indexes.length} indexes.`);
  await client.query("set maintenance_work_mem = '1GB'");
  for (const { definition } of indexes) await client.query(definition);
}

/** Creates the partitions of the last weeks, as if the service had been running. */
async function createPastWeeks(client: pg.Client): Promise<void> {
  for (let ago = -5; ago < 0; ago++) {
    const { name, first, next } = weekOf(new Date(), ago);
    for (const parent of partitionedTables) {
      const values = [parent, `${parent}_${name}`, first, next];
      await client.query("select create_partition($1, $2, $3, $4)", values);
    }
  }
}

/**
 * Creates the table `filled` with one row per charge: its number, its creation time, its merchant (null means the
 * merchant of the original charge), and the ids of the charge and of its event. The ids are UUIDv7 with the creation
 * time.
 */
const fillNumbers = `
  create temporary table filled as
  select n, at,
         ($4::uuid[])[1 + n % nullif(cardinality($4), 0)] as account,
         (milliseconds || '7' || substr(hash, 1, 3) || '8' || substr(hash, 4, 15))::uuid as charge,
         (milliseconds || '7' || substr(hash, 4, 3) || '8' || substr(hash, 14, 15))::uuid as event
    from generate_series(1, $1::integer) as n
   cross join lateral (select now() - make_interval(secs => 86400.0 * ($3::integer + $2::integer::double precision * ($1::integer - n + 1) / $1::integer))) t (at)
   cross join lateral (select lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0'), md5(n::text)) u (milliseconds, hash)
`;

const charge = "filled.charge";
const event = "filled.event";
const at = "filled.at";
const account_id = "coalesce(filled.account, origin_row.account_id)";
const merchant = "coalesce(filled.account, origin_row.merchant)";

/**
 * The tables whose rows are copied, with an SQL expression for each column whose value differs from that of the
 * original row.
 */
const copies: readonly {
  readonly table: string;
  readonly changed: Readonly<Record<string, string>>;
  /** True if the service deletes rows of this table after `eventDays`. */
  readonly isDeleted?: boolean;
}[] = [
  {
    table: "charges",
    changed: {
      account_id,
      id: charge,
      idempotency_key: "'filled ' || n",
      finalized_at: at,
    },
  },
  {
    table: "idempotency_keys",
    isDeleted: true,
    changed: {
      account_id,
      key: "'filled ' || n",
      charge_id: charge,
      event_id: event,
      created_at: at,
    },
  },
  { table: "ledger_transfers", changed: { account_id, entry_id: charge, source_id: charge } },
  { table: "events", isDeleted: true, changed: { account_id, id: event, object_id: charge } },
  {
    table: "simulator.authorizations",
    changed: { merchant, reference: charge, captured_at: at },
  },
];

/** Returns the names of the columns that an insert can write. */
export async function columnsOf(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    "select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''",
    [table],
  );
  return rows.map(({ name }) => name);
}

async function copyStatement(
  client: pg.Client,
  table: string,
  changed: Readonly<Record<string, string>>,
): Promise<string> {
  const names = await columnsOf(client, table);
  const values = names.map((name) => changed[name] ?? `origin_row.${name}`);
  return `
    insert into ${table} (${names.join(", ")})
    select ${values.join(", ")}
      from filled
     cross join (select * from ${table}) as origin_row
  `;
}
