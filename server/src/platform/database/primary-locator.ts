import type pg from "pg";
import { connectionOptions } from "./connection-options.ts";
import { DatabaseClient } from "./database-client.ts";
import { hostsOf } from "./database-url.ts";
import { sendQuery } from "./send-query.ts";

/**
 * Finds the primary among the hosts of a connection URL, such as
 * `postgres://florin@db1,db2,db3/florin?target_session_attrs=read-write`. The driver connects to one host only.
 *
 * A connection to a host that has lost its network or is suspended hangs instead of failing. The locator therefore
 * checks the primary regularly, and destroys the connections to a host that is no longer the primary.
 */
export type PrimaryLocator = {
  /** Returns the driver's options for the host that was last found to be the primary. */
  options(): pg.ClientConfig;
  /**
   * Records that a client connects to the current host, so that the client can be destroyed when the host is no longer
   * the primary.
   */
  add(client: pg.Client): void;
  /** Searches for the primary, and returns whether there is one. Concurrent callers share one search. */
  locate(): Promise<boolean>;
  stop(): void;
};

/** The interval between checks of the primary. */
const everyMs = 1_000;
/** The interval between searches while no primary is known. */
const retryMs = 250;

/** The time limit of a response. */
const timeoutMs = 3_000;

type Host = { readonly options: pg.ClientConfig };
type Candidate = { readonly host: Host; readonly timeline: number };

/** Returns null for a URL with one host, for which there is nothing to search. */
export function createPrimaryLocator(url: string): PrimaryLocator | null {
  const hosts: readonly Host[] = hostsOf(url).map((one) => ({ options: connectionOptions(one) }));
  if (hosts.length === 1) return null;
  let current = hosts[0] as Host;
  const clients = new Map<pg.Client, Host>();
  let search: Promise<boolean> | null = null;
  let isStopped = false;
  let timer: NodeJS.Timeout | null = null;

  /** The timeline of the last primary, or null before the first search. */
  let timeline: number | null = null;

  /** Returns whether there is a primary. */
  async function findPrimary(): Promise<boolean> {
    const found = await newestPrimary(hosts, timeline);
    if (!found) return false;
    current = found.host;
    timeline = found.timeline;
    for (const [client, host] of clients) if (host !== current) destroy(client);
    return true;
  }

  const locate = (): Promise<boolean> => {
    search ??= findPrimary().finally(() => {
      search = null;
    });
    return search;
  };

  /** The connection that checks the primary, and its host. */
  let checking: { readonly client: pg.Client; readonly host: Host } | null = null;
  const endCheck = (): void => {
    checking?.client.end().catch(() => undefined);
    checking = null;
  };
  const isStillPrimary = async (): Promise<boolean> => {
    if (checking?.host !== current) endCheck();
    try {
      checking ??= { client: await connect(current), host: current };
      return (await readTimeline(checking.client)) !== null;
    } catch {
      return false;
    }
  };
  const check = async (isKnown: boolean): Promise<void> => {
    let isFound = isKnown && (await isStillPrimary());
    if (!isFound) {
      endCheck();
      isFound = await locate();
    }
    if (isStopped) endCheck();
    else checkAfter(isFound ? everyMs : retryMs, isFound);
  };
  const checkAfter = (waitMs: number, isKnown: boolean): void => {
    timer = setTimeout(() => void check(isKnown), waitMs).unref();
  };
  checkAfter(everyMs, true);

  return {
    options: () => current.options,
    add(client) {
      clients.set(client, current);
      client.once("end", () => clients.delete(client));
    },
    locate,
    stop() {
      isStopped = true;
      if (timer) clearTimeout(timer);
      endCheck();
    },
  };
}

/** Returns the driver's options for the primary, or for the first host if there is no primary. */
export async function findPrimaryOptions(url: string): Promise<pg.ClientConfig> {
  const locator = createPrimaryLocator(url);
  if (!locator) return connectionOptions(url);
  await locator.locate();
  locator.stop();
  return locator.options();
}

/**
 * Returns the primary with the newest timeline. A former primary that was suspended can still consider itself the
 * primary, and each promotion starts a new timeline. A primary with a newer timeline than the known one is returned
 * without waiting for hosts that do not respond.
 */
async function newestPrimary(
  hosts: readonly Host[],
  known: number | null,
): Promise<Candidate | null> {
  const searches = hosts.map(findCandidate);
  const newer = searches.map(async (search) => {
    const found = await search;
    if (found === null || known === null || found.timeline <= known) throw notNewer;
    return found;
  });
  return Promise.any(newer).catch(async () => {
    const found = (await Promise.all(searches)).filter((one) => one !== null);
    return found.toSorted((a, b) => b.timeline - a.timeline)[0] ?? null;
  });
}

const notNewer = new Error("not a newer primary");

/** Returns the host and its timeline if it is the primary, and otherwise null. */
async function findCandidate(host: Host): Promise<Candidate | null> {
  let client: pg.Client | null = null;
  try {
    client = await connect(host);
    const timeline = await readTimeline(client);
    return timeline === null ? null : { host, timeline };
  } catch {
    return null;
  } finally {
    client?.end().catch(() => undefined);
  }
}

async function connect({ options }: Host): Promise<pg.Client> {
  const client = new DatabaseClient({
    ...options,
    connectionTimeoutMillis: timeoutMs,
    application_name: "florin primary",
  });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

/** Returns the timeline of a Postgres that accepts writes, and null for a standby. */
async function readTimeline(client: pg.Client): Promise<number | null> {
  const { rows } = await sendQuery(client, { text: timelineText }, timeoutMs);
  const [row] = rows as { timeline: string | null }[];
  return row?.timeline ? Number.parseInt(row.timeline, 16) : null;
}

/** The name of a WAL file starts with its timeline, in hexadecimal. A standby writes no WAL. */
const timelineText = `
  select case when not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off'
              then left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline`;

function destroy(client: pg.Client): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } };
  connection.stream.destroy();
}
