import { createHash } from "node:crypto";
import { join } from "node:path";
import pg from "pg";
import { statefulObjects } from "../../tools/states-page.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../src/platform/database/embedded.ts";
import { isAlive } from "../src/platform/database/embedded-cluster.ts";
import { migrate, readMigrations } from "../src/platform/database/migrate.ts";
import { partitionedTables } from "../src/platform/partitions/partition.sql.ts";
import { weeksFrom } from "../src/platform/partitions/partitions.ts";
import { transitionTriggers } from "./transition-triggers.ts";

/** A migrated, empty database for a test file. */
export type TestDatabase = { readonly url: string; drop(): Promise<void> };

/**
 * Creates a separate database for each test file, so that no test reads another's rows. The database is a copy of
 * a migrated template, which takes a fraction of the time of the migrations.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const url = await postgres();
  const name = `test_${process.pid}_${nextNumber++}`;
  administrator ??= connectAdministrator(url).catch((error: unknown) => {
    administrator = undefined;
    throw error;
  });
  const { run, template } = await administrator;
  await run(`create database ${name} template ${template}`);
  return {
    url: urlOfDatabase(url, name),
    drop: () => run(`drop database if exists ${name} with (force)`),
  };
}

let nextNumber = 1;
let shared: Promise<string> | undefined;
let administrator: Promise<Administrator> | undefined;

/** The connection that creates and drops the databases of this process. */
type Administrator = {
  run(statement: string): Promise<void>;
  /** The name of the database that every test database is copied from. */
  readonly template: string;
};

async function connectAdministrator(url: string): Promise<Administrator> {
  const connectionString = urlOfDatabase(url, "postgres");
  const template = await withClient(connectionString, (client) => ensureTemplate(client, url));
  const pool = new pg.Pool({
    connectionString,
    max: 1,
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
  });
  // Ignores the loss of the idle connection, because a Postgres of this process stops before the process exits.
  pool.on("error", () => undefined);
  return { template, run: async (statement) => void (await pool.query(statement)) };
}

/**
 * Returns the URL of this run's Postgres. `npm test` starts a Postgres and passes its URL. Test files that are run
 * directly share another Postgres.
 */
function postgres(): Promise<string> {
  const given = process.env.FLORIN_TEST_POSTGRES;
  shared ??= (given ? Promise.resolve(given) : startForThisFile()).then(withConnectTimeout);
  return shared;
}

/**
 * Allows a connection more time than the default of 3 s. On a busy machine, a new connection can take longer, and the
 * service would respond with 503.
 */
function withConnectTimeout(url: string): string {
  const patient = new URL(url);
  patient.searchParams.set("connect_timeout", "60");
  return patient.href;
}

async function startForThisFile(): Promise<string> {
  const embedded = await startTestPostgres();
  process.once("beforeExit", () => void embedded.stop());
  return embedded.url;
}

/**
 * The data directory of the shared Postgres. If a killed run left its Postgres running, a later run reuses that
 * Postgres.
 */
const sharedDirectory = join(import.meta.dirname, "../../.florin-test");

/** Starts a Postgres for many test files. The last process that uses it stops it. */
export async function startTestPostgres(directory = sharedDirectory): Promise<EmbeddedPostgres> {
  const embedded = await startEmbeddedPostgres({
    directory,
    log: (line) => console.error(line),
    settings: {
      // Many connections, because each running test file has a service with a separate connection pool.
      max_connections: "1000",
      // With fsync, half of a test run would be spent waiting for the disk. Tests that crash Postgres start a server
      // with the default settings.
      fsync: "off",
      full_page_writes: "off",
      // With autovacuum, a worker would visit each of the hundreds of databases once a minute.
      autovacuum: "off",
      // With the default `auto`, each connection would plan a statement again at each of its first five executions.
      plan_cache_mode: "force_generic_plan",
    },
  });
  await withClient(urlOfDatabase(embedded.url, "postgres"), async (client) => {
    await dropAbandoned(client);
    await reduceScramIterations(client);
  });
  return embedded;
}

/**
 * Stores the password of the client's role with one iteration of SCRAM. With the default of 4,096, a connection takes
 * 3 ms of CPU time, and a test run opens some 4,000 connections.
 */
async function reduceScramIterations(client: pg.Client): Promise<void> {
  await client.query("set scram_iterations = 1");
  await client.query(`alter role florin password ${client.escapeLiteral(client.password ?? "")}`);
}

/** Drops the databases of killed test processes, and the templates of outdated migrations. */
async function dropAbandoned(client: pg.Client): Promise<void> {
  const template = await templateName();
  const { rows } = await client.query<{ datname: string }>(
    "select datname from pg_database where datname ~ '^(test_[0-9]+_|template_[0-9a-f]{16}$)'",
  );
  for (const { datname } of rows) {
    const owner = /^test_(\d+)_/.exec(datname)?.[1];
    if (datname === template || (owner !== undefined && isAlive(Number(owner)))) continue;
    // Dropping fails while another run, with different migrations, copies the template. A later run drops it.
    await client.query(`drop database if exists ${datname}`).catch(() => {});
  }
}

/**
 * Creates the migrated template in one process while the others wait, and renames it when it is complete. The name
 * contains a hash of the migrations, so that a changed migration creates a new template.
 */
async function ensureTemplate(client: pg.Client, url: string): Promise<string> {
  const template = await templateName();
  if (await databaseExists(client, template)) return template;

  await client.query("select pg_advisory_lock(hashtext('florin test template'))");
  if (!(await databaseExists(client, template))) {
    const building = `${template}_building`;
    await client.query(`drop database if exists ${building} with (force)`);
    await client.query(`create database ${building}`);
    await migrate(urlOfDatabase(url, building));
    await withClient(urlOfDatabase(url, building), (client) => client.query(guard));
    await withClient(urlOfDatabase(url, building), createCurrentPartitions);
    await client.query(`alter database ${building} rename to ${template}`);
  }
  await client.query("select pg_advisory_unlock(hashtext('florin test template'))");
  return template;
}

/**
 * Creates the partitions that each service would otherwise create when it starts. Creating the partitions takes as long
 * as creating the rest of a database.
 */
async function createCurrentPartitions(client: pg.Client): Promise<void> {
  for (const week of weeksFrom(new Date())) {
    for (const table of partitionedTables) {
      const name = `${table}_${week.name}`;
      await client.query("select create_partition($1, $2, $3, $4)", [
        table,
        name,
        week.first,
        week.next,
      ]);
    }
  }
}

async function templateName(): Promise<string> {
  const checksums = (await readMigrations()).map((migration) => migration.checksum).join() + guard;
  return `template_${createHash("sha256").update(checksums).digest("hex").slice(0, 16)}`;
}

const guard = transitionTriggers(statefulObjects);

async function databaseExists(client: pg.Client, name: string): Promise<boolean> {
  const { rowCount } = await client.query("select 1 from pg_database where datname = $1", [name]);
  return rowCount === 1;
}

async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return await work(client).finally(() => client.end());
}

/** Returns the URL of another database on the same server. */
export function urlOfDatabase(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}
