import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { connectAuditLog } from "./app/connect-audit-log.ts";
import { primaryPoolSize } from "./app/database-connections.ts";
import { createSecrets } from "./app/secrets.ts";
import { createSharedState } from "./app/shared-state.ts";
import type { Config } from "./config.ts";
import { systemClock } from "./core/clock.ts";
import type { HashKey } from "./identity/api-keys/issue-api-key.ts";
import { createDatabaseGauges } from "./insights/monitoring/database-gauges.ts";
import { createMergedMetrics } from "./insights/monitoring/merged-metrics.ts";
import { createMetrics, type MetricsRegistry } from "./insights/monitoring/process-metrics.ts";
import { serveMetrics } from "./insights/monitoring/serve-metrics.ts";
import {
  createInboxSecret,
  defaultPort,
  gaugesDeps,
  listenForMetrics,
  metricsOptions,
  runServer,
  type ServerParts,
} from "./main.ts";
import { connectDatabase, type Database } from "./platform/database/database.ts";
import { StartupError } from "./platform/database/startup-error.ts";
import { freePort } from "./platform/http/listen.ts";
import { type ChannelEnd, createChannel, isMessages } from "./platform/processes/channel.ts";
import type { Hub } from "./platform/processes/hub.ts";
import { createLocalKeyProvider } from "./vault/local-key-provider.ts";
import {
  killAfterMs,
  type StartedWorker,
  type StartWorker,
  workerTopics,
} from "./worker-process.ts";

/** The running server processes of one machine, behind one port. */
export type RunningService = {
  readonly url: string;
  /** The URL for Prometheus. Null if no metrics are collected. */
  readonly metricsUrl: string | null;
  /** The secret in the link to the demo's inbox, new with each start. Null without an inbox. */
  readonly inboxSecret: string | null;
  readonly database: Database;
  readonly hashKey: HashKey;
  /** The process IDs of the processes that serve requests. */
  pids(): number[];
  /** Resolves with the error if a server process can no longer be started. The service must then stop. */
  readonly failed: Promise<Error>;
  /** Waits for requests in flight, then stops all server processes. */
  close(): Promise<void>;
};

export type ServiceOptions<Parts> = {
  /** The script of the worker processes, which calls `runWorker`. */
  readonly workerScript: string;
  /** A value from which a worker creates the parts of the server. It is sent as JSON. */
  readonly parts: Parts;
  /** Creates the parts of the server from that value. */
  readonly createParts: (config: Config, parts: Parts) => Promise<ServerParts> | ServerParts;
};

/**
 * Runs `config.processes` servers on an existing, migrated database. A single server runs in this process. Several
 * servers run in one worker process each, and this process holds the state that the workers share and restarts workers
 * that crash.
 */
export async function runService<Parts>(
  config: Config,
  databaseUrl: string,
  options: ServiceOptions<Parts>,
): Promise<RunningService> {
  const inboxSecret = createInboxSecret(config);
  if (config.processes > 1) return runWorkers(config, databaseUrl, inboxSecret, options);
  const parts = await options.createParts(config, options.parts);
  const siblings = { index: 0, count: 1, primary: null };
  const server = await runServer(config, databaseUrl, parts, { siblings, inboxSecret });
  const failed = new Promise<Error>(() => undefined);
  return { ...server, inboxSecret, failed, pids: () => [process.pid] };
}

async function runWorkers<Parts>(
  config: Config,
  databaseUrl: string,
  inboxSecret: string | null,
  { workerScript, parts, createParts }: ServiceOptions<Parts>,
): Promise<RunningService> {
  const { log } = await createParts(config, parts);
  const keys = createLocalKeyProvider(config.keysDirectory);
  const database = connectDatabase({
    url: databaseUrl,
    poolSize: primaryPoolSize,
    onIdleError: (error) => log.warn({ reason: error.message }, "database: connection lost"),
    audit: connectAuditLog(keys, process.stdout.isTTY ? null : log),
  });
  // This process is measured too, because its memory and CPU time are part of the service's.
  const meters = config.metricsPort === null ? null : createMetrics(metricsOptions(config));
  const hub = createSharedState(systemClock);

  // All workers must listen on the same port, even after a restart.
  const { host } = config;
  const port =
    config.port === null
      ? await defaultPort(config)
      : await freePort({ host, port: config.port, setting: "PORT" });
  // The workers share this port. The kernel lets another program of the same user share it too, without an error. This
  // check fails if the port is in use.
  if (config.internalPort) {
    await freePort({ host: "127.0.0.1", port: config.internalPort, setting: "INTERNAL_PORT" });
  }
  const workers = createWorkers(hub, {
    script: workerScript,
    count: config.processes,
    start: {
      ...{ config: { ...config, port }, databaseUrl, count: config.processes },
      ...{ inboxSecret, parts },
    },
    onRestart(exit) {
      meters?.logged("error");
      log.error(exit, "process: a server process exited and is restarted");
    },
  });
  const metrics = meters && metricsOf(config, database, hub, meters.registry, log);
  const close = async (): Promise<void> => {
    await metrics?.close();
    await workers.stop();
    await database.close();
  };
  try {
    const url = await workers.started;
    const metricsUrl = metrics && (await listenForMetrics(metrics, config));
    const { hashKey } = await createSecrets(keys);
    const { failed, pids } = workers;
    return { url, metricsUrl, inboxSecret, database, hashKey, pids, failed, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function metricsOf(
  config: Config,
  database: Database,
  hub: Hub,
  registry: MetricsRegistry,
  log: ServerParts["log"],
) {
  const refresh = createDatabaseGauges(gaugesDeps(config, database, registry, log));
  const readMerged = createMergedMetrics(hub, registry);
  return serveMetrics({
    configuredHost: config.metricsHost,
    async read() {
      await refresh();
      return readMerged();
    },
  });
}

type WorkersOptions = {
  readonly script: string;
  readonly count: number;
  readonly start: Omit<StartWorker, "index">;
  /** Called when a worker has exited unexpectedly, with its position and the reason. */
  readonly onRestart: (exit: { readonly index: number; readonly reason: string }) => void;
};

type Workers = {
  /** Resolves with the URL when all workers listen. Rejects if one of them cannot start. */
  readonly started: Promise<string>;
  readonly failed: Promise<Error>;
  pids(): number[];
  stop(): Promise<void>;
};

/**
 * A worker that exits is restarted immediately. If it exits again within this time, or cannot start, the next restart
 * waits.
 */
const stableAfterMs = 60_000;
const firstBackoffMs = 200;
const maxBackoffMs = 10_000;

/** The number of restarts in a row after which the service stops. The backoffs before them add up to 43 seconds. */
const maxRestarts = 10;

function createWorkers(hub: Hub, { script, count, start, onRestart }: WorkersOptions): Workers {
  cluster.setupPrimary({ exec: script, args: [], silent: false });
  const running = new Map<number, { readonly worker: Worker; readonly channel: ChannelEnd }>();
  const stopping = new AbortController();
  let fail: (error: Error) => void = () => undefined;
  const failed = new Promise<Error>((resolve) => {
    fail = resolve;
  });

  /** Starts a worker. Returns when it listens, with a promise of the reason for its exit. */
  async function startOne(index: number): Promise<{ url: string; exited: Promise<string> }> {
    const worker = cluster.fork();
    const channel = createChannel((messages) => {
      if (worker.isConnected()) worker.send(messages, () => undefined);
    });
    worker.on("message", (messages) => {
      if (isMessages(messages)) channel.receive(messages);
    });
    const exited = reasonOfExit(worker).then((reason) => {
      running.delete(index);
      return reason;
    });
    // The channel ends after the last message of the worker has arrived, which may be after the exit.
    const end = (): void => {
      hub.remove(channel);
      channel.end();
    };
    worker.once("disconnect", end);
    running.set(index, { worker, channel });
    hub.add(channel);
    const response = channel.request(workerTopics.start, { ...start, index }, null);
    const started = (await response.catch(async () => ({
      kind: "failed",
      isKnown: false,
      text: `A server process exited before it was ready (${await exited}). Its output above may show the reason.`,
    }))) as StartedWorker;
    if (started.kind === "started") return { url: started.url, exited };
    worker.process.kill("SIGKILL");
    await exited;
    throw started.isKnown ? new StartupError(started.text) : new Error(started.text);
  }

  /** Restarts a worker whenever it exits, until the service stops. */
  async function keepRunning(index: number, first: { exited: Promise<string> }): Promise<void> {
    let { exited } = first;
    let startedAt = performance.now();
    let restarts = 0;
    for (;;) {
      const reason = await exited;
      if (stopping.signal.aborted) return;
      onRestart({ index, reason });
      if (performance.now() - startedAt > stableAfterMs) restarts = 0;
      for (;;) {
        const backoffMs = restarts === 0 ? 0 : firstBackoffMs * 2 ** (restarts - 1);
        restarts += 1;
        await sleep(Math.min(backoffMs, maxBackoffMs), null, { signal: stopping.signal }).catch(
          () => undefined,
        );
        if (stopping.signal.aborted) return;
        try {
          ({ exited } = await startOne(index));
          startedAt = performance.now();
          break;
        } catch (error) {
          if (stopping.signal.aborted) return;
          if (restarts < maxRestarts) continue;
          fail(cannotRestart(index, error as Error));
          return;
        }
      }
      if (restarts >= maxRestarts) {
        fail(cannotRestart(index, new Error(`It exited ${restarts} times in a row: ${reason}.`)));
        return;
      }
    }
  }

  async function startAll(): Promise<string> {
    // The first worker starts alone, because it may create the keys of a new installation.
    const first = await startOne(0);
    void keepRunning(0, first);
    const others = await Promise.all(
      Array.from({ length: count - 1 }, (_, index) => startOne(index + 1)),
    );
    for (const [index, other] of others.entries()) void keepRunning(index + 1, other);
    return first.url;
  }

  async function stopOne({ worker, channel }: { worker: Worker; channel: ChannelEnd }) {
    if (worker.isDead()) return;
    const exited = once(worker, "exit");
    channel.send(workerTopics.stop, null);
    const timer = setTimeout(() => worker.process.kill("SIGKILL"), killAfterMs);
    await exited;
    clearTimeout(timer);
  }

  return {
    started: startAll(),
    failed,
    pids: () => [...running.values()].map(({ worker }) => worker.process.pid as number),
    async stop() {
      stopping.abort();
      await Promise.all([...running.values()].map(stopOne));
    },
  };
}

/** Resolves with the reason when the worker has exited, or if its process could not be created. */
function reasonOfExit(worker: Worker): Promise<string> {
  return new Promise((resolve) => {
    worker.once("exit", (code, signal) =>
      resolve(signal ? `signal ${signal}` : `exit code ${code}`),
    );
    // Other errors of a worker are followed by its exit.
    worker.on("error", ({ message }) => {
      if (worker.process.pid === undefined) resolve(message);
    });
  });
}

function cannotRestart(index: number, { message }: Error): Error {
  return new StartupError(
    `Server process ${index + 1} crashed and could not be restarted, so the service stops. The last error: ${message}`,
  );
}
