import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { builtEmbed } from "@florin/embed/test/built-embed.ts";
import { createMerchants } from "../../../bench/create-merchants.ts";
import { createSecrets } from "../../src/app/secrets.ts";
import { systemClock } from "../../src/core/clock.ts";
import { type Report, verify } from "../../src/insights/verify/verify.ts";
import { connectDatabase, type Database } from "../../src/platform/database/database.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import { createLocalKeyProvider } from "../../src/vault/local-key-provider.ts";
import { type ServerProcess, startServer } from "../simulation/server-process.ts";
import { startWebhookReceiver } from "../simulation/webhook-receiver.ts";
import { type PostgresPair, startPostgresPair } from "../standby.ts";
import { until } from "../until.ts";
import { type Request, startReplicaLoad } from "./replica-load.ts";

export type ReplicaOptions = {
  /** The length of each phase. */
  readonly seconds: number;
  readonly merchants: number;
};

export type ReplicaFigures = {
  readonly phases: readonly PhaseFigures[];
  readonly charges: number;
  readonly report: Report;
};

export type PhaseFigures = {
  readonly name: string;
  /** The requests that were sent in the phase. */
  readonly requests: readonly Request[];
  /** The reads that were in flight when the phase began with a fault. */
  readonly inFlight: readonly Request[];
  /** After a fault: the time until the first response to a read that was sent after the fault. */
  readonly fallbackMs: number | null;
  /** After a repair: the time until the standby served a read. */
  readonly returnMs: number | null;
};

type Phase = {
  readonly name: string;
  readonly kind: "fault" | "repair";
  readonly begin: (pair: PostgresPair) => Promise<unknown>;
};

/**
 * The faults of the standby, each followed by its repair: it lags, it does not respond, and its processes are killed.
 */
const phases: readonly Phase[] = [
  {
    name: "replay paused",
    kind: "fault",
    begin: ({ standby }) => standby.query("select pg_wal_replay_pause()"),
  },
  {
    name: "replay resumed",
    kind: "repair",
    begin: ({ standby }) => standby.query("select pg_wal_replay_resume()"),
  },
  { name: "suspended", kind: "fault", begin: async ({ standby }) => standby.signal("SIGSTOP") },
  { name: "continued", kind: "repair", begin: async ({ standby }) => standby.signal("SIGCONT") },
  { name: "killed", kind: "fault", begin: (pair) => pair.killStandby() },
  { name: "restarted", kind: "repair", begin: (pair) => pair.startStandby() },
];

/** Makes the standby lag and fail while merchants charge and read through two servers, and measures their requests. */
export async function runReplicaCheck(
  { seconds, merchants }: ReplicaOptions,
  print: (line: string) => void,
): Promise<ReplicaFigures> {
  const directory = await mkdtemp(join(tmpdir(), "florin-replica-"));
  const pair = await startPostgresPair();
  const receiver = await startWebhookReceiver();
  const database = connectDatabase({
    url: pair.primary.url,
    poolSize: 2,
    onIdleError: () => undefined,
  });
  const servers: ServerProcess[] = [];
  try {
    await migrate(pair.primary.url);
    const secretKeys = await keysOfMerchants(database, join(directory, "keys"), merchants);
    const { outdir } = await builtEmbed();
    for (let count = 0; count < 2; count++) {
      servers.push(
        await startServer({
          databaseUrl: pair.primary.url,
          dataDirectory: directory,
          embedDirectory: outdir,
          shopUrl: receiver.url,
          environment: { FLORIN_REPLICA_URL: pair.standby.url, FLORIN_DATABASE_TLS: "off" },
        }),
      );
    }
    const load = await startReplicaLoad(servers, secretKeys);
    const begun: { name: string; at: number; fallback: boolean; returnMs: number | null }[] = [];
    const begin = async ({ name, kind, begin: change }: Pick<Phase, "name" | "kind" | "begin">) => {
      print(`${name}: ${load.acknowledged.length} charges`);
      const since = new Date();
      const at = performance.now();
      const one = { name, at, fallback: kind === "fault", returnMs: null as number | null };
      begun.push(one);
      await change(pair);
      if (kind === "repair") {
        await untilStandbyReads(pair, since);
        one.returnMs = performance.now() - at;
      }
      await sleep(seconds * 1000);
    };
    await begin({ name: "all run", kind: "repair", begin: async () => undefined });
    for (const phase of phases) await begin(phase);
    const endedAt = performance.now();
    await load.stop();
    for (const server of servers) assert.equal(server.outputOfUnexpectedExit(), null);
    for (const server of servers) await server.stop();
    const report = await verify(database, { acknowledged: load.acknowledged });
    const figures = begun.map(({ name, at, fallback, returnMs }, index): PhaseFigures => {
      const end = begun[index + 1]?.at ?? endedAt;
      const requests = load.requests.filter(({ sentAt }) => sentAt >= at && sentAt < end);
      const reads = requests.filter(isRead);
      const firstReadAt = Math.min(...reads.map(({ endedAt }) => endedAt));
      return {
        name,
        requests,
        inFlight: fallback
          ? load.requests.filter((one) => isRead(one) && one.sentAt < at && one.endedAt > at)
          : [],
        fallbackMs: fallback ? firstReadAt - at : null,
        returnMs,
      };
    });
    return { phases: figures, charges: load.acknowledged.length, report };
  } finally {
    for (const server of servers) await server.kill();
    receiver.close();
    await database.close();
    await pair.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

export const isRead = ({ kind }: Request): boolean => kind !== "charge";

/** Creates merchants and returns their secret keys. */
async function keysOfMerchants(
  database: Database,
  keysDirectory: string,
  count: number,
): Promise<string[]> {
  const { hashKey } = await createSecrets(createLocalKeyProvider(keysDirectory));
  const created = await createMerchants({ database, clock: systemClock, hashKey }, count);
  return created.map(({ secretKey }) => secretKey);
}

/**
 * Waits until the service has read data on the standby after the time `since`. The service's own checks of the position
 * and the session do not count.
 */
async function untilStandbyReads({ standby }: PostgresPair, since: Date): Promise<void> {
  const reads = `
    select from pg_stat_activity
     where application_name = 'florin replica' and query_start > '${since.toISOString()}'
       and query !~ 'pg_last_wal_replay_lsn|transaction_read_only'`;
  await until(
    () => standby.query(reads).catch(() => []),
    (rows) => rows.length > 0,
    60_000,
  );
}
