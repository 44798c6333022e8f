import type pg from "pg";
import { sendQuery } from "./send-query.ts";

/**
 * The time limit of a statement. It is well below the 28 s after which a request times out
 * (docs/operating/production.md).
 */
const statementTimeoutMs = 20_000;

/**
 * The settings of the service's connections. A database can have other defaults, for example if it was created on a
 * machine in another time zone. In a zone with daylight saving time, an interval of two days can be 47 or 49 hours.
 * `parseTime` requires the ISO format. Migrations and backups use connections without these settings, because they
 * compute no intervals of days, and have too few statements for the settings of the planner to matter.
 */
const sessionSettings = {
  statement_timeout: String(statementTimeoutMs),
  timezone: "UTC",
  datestyle: "ISO, YMD",
  // On by default in most installations of Postgres. The estimated costs of many statements are high enough for JIT
  // compilation, although the statements take only milliseconds. It took up to 15% of the CPU time under load.
  jit: "off",
  // 4 by default, for hard disks. On solid-state disks a random page costs about as much as a sequential one. With 4 and
  // 1,000 API keys, Postgres read all keys to find one, which took 0.05 ms instead of 0.007 ms. A list of charges by
  // status and amount read more than twice the pages.
  random_page_cost: "1.1",
};

/** Thrown when a connection reaches a server that accepts no writes, with Postgres's error code. */
export class ReadOnlyServer extends Error {
  override name = "ReadOnlyServer";
  readonly code = "25006";

  constructor() {
    super("the Postgres server accepts no writes");
  }
}

/**
 * Sets the settings of a new connection. They are set by a statement, because pgBouncer rejects most settings in the
 * startup message.
 *
 * @throws ReadOnlyServer when the server is a standby, unless standbys are accepted.
 */
export async function prepareSession(
  client: pg.ClientBase,
  options: {
    readonly acceptsStandby: boolean;
    readonly settings?: Readonly<Record<string, string>> | undefined;
  },
): Promise<void> {
  const settings = { ...sessionSettings, ...options.settings };
  const { rows } = await sendQuery(client, {
    text: `select current_setting('transaction_read_only') as read_only,
                  (select count(set_config(name, value, false)) from unnest($1::text[], $2::text[]) as s (name, value))`,
    values: [Object.keys(settings), Object.values(settings)],
  });
  const [row] = rows as { read_only: string }[];
  if (row?.read_only === "on" && !options.acceptsStandby) throw new ReadOnlyServer();
}
