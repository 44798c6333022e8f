import { randomBytes, randomInt } from "node:crypto";
import { versions } from "@florin/contract/versions.ts";
import type { EmbedBuild } from "@florin/embed/build.ts";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { CreateTestNetwork } from "./acquiring/test-network.ts";
import type { DashboardFiles } from "./app/dashboard/serve-dashboard.ts";
import { type App, startApp } from "./app.ts";
import type { Config } from "./config.ts";
import { systemClock } from "./core/clock.ts";
import { isLoopback } from "./core/loopback.ts";
import {
  createConnectionGauges,
  createGauges,
  type GaugesDeps,
} from "./insights/monitoring/database-gauges.ts";
import { reportMetrics } from "./insights/monitoring/merged-metrics.ts";
import {
  createMetrics,
  type Meters,
  type MetricsRegistry,
} from "./insights/monitoring/process-metrics.ts";
import { serveMetrics } from "./insights/monitoring/serve-metrics.ts";
import type { Database } from "./platform/database/database.ts";
import { listenOn, nextFreePort } from "./platform/http/listen.ts";
import { createSmtpSender, type SmtpOptions } from "./platform/mail/smtp.ts";
import { alone, type Siblings } from "./platform/processes/siblings.ts";
import type { Tracing } from "./platform/tracing/tracing.ts";
import { createLocalKeyProvider } from "./vault/local-key-provider.ts";

/** A listening server. */
export type RunningServer = App & {
  readonly url: string;
  /** The URL for Prometheus. Null if no metrics are collected, or if the primary process serves them. */
  readonly metricsUrl: string | null;
};

/** The parts of a server process that come from other workspaces. */
export type ServerParts = {
  readonly embed: Pick<EmbedBuild, "outdir" | "manifest">;
  /** The dashboard's files. Null if the dashboard is not served. */
  readonly dashboard?: DashboardFiles | null;
  /** The built guides and scripts of `/docs`. Without them, `/docs` contains the API reference only. */
  readonly docs?: { readonly directory: string };
  readonly log: Logger;
  readonly createTestNetwork: CreateTestNetwork;
};

/** The position of a server process in its service. */
export type ProcessOptions = {
  readonly siblings: Siblings;
  /** The secret in the link to the demo's inbox. Null without an inbox. */
  readonly inboxSecret: string | null;
};

/**
 * Creates a new secret for the link to the demo's inbox, which shows the emails if there is no mail server. Returns
 * null without an inbox.
 */
export function createInboxSecret({ demo, smtpUrl }: Config): string | null {
  return demo && smtpUrl === null ? randomBytes(32).toString("base64url") : null;
}

/** Runs one server process on an existing, migrated database. */
export async function runServer(
  config: Config,
  databaseUrl: string,
  { embed, dashboard = null, docs, log, createTestNetwork }: ServerParts,
  { siblings, inboxSecret }: ProcessOptions = { siblings: alone, inboxSecret: null },
): Promise<RunningServer> {
  let url = "";
  const meters = config.metricsPort === null ? null : createMetrics(metricsOptions(config));
  const tracing = await tracingOf(config, log, meters);
  const app = await startApp({
    databaseUrl,
    replicaUrl: config.replicaUrl,
    databasePool: config.databasePool,
    keys: createLocalKeyProvider(config.keysDirectory),
    clock: systemClock,
    random: () => randomInt(2 ** 32) / 2 ** 32,
    log,
    // No audit entries are copied to a terminal. A terminal does not collect logs, and the output of a developer's
    // first start should not begin with audit entries.
    ...(process.stdout.isTTY && { auditLog: null }),
    siblings,
    ...(meters && { meters }),
    ...(tracing && { tracing }),
    embed: { directory: embed.outdir, manifest: embed.manifest },
    ...(dashboard && { dashboard }),
    ...(docs && { docs }),
    publicUrl: () => url,
    walletsUrl: config.walletsUrl === null ? null : () => config.walletsUrl as string,
    ...(config.internalPort !== null && { internalPort: config.internalPort }),
    trustedProxies: config.trustedProxies,
    rateLimit: config.rateLimit,
    lockOutMs: config.lockOutMinutes * 60_000,
    privateWebhooks: config.privateWebhooks,
    workers: config.workers,
    closedAccountCardDays: config.closedAccountCardDays,
    archive:
      config.archiveAfterDays === null
        ? null
        : { directory: config.archiveDirectory, afterDays: config.archiveAfterDays },
    cardSearchHour: config.cardSearchHour,
    fourEyes: config.fourEyes,
    sendMail:
      config.smtpUrl === null
        ? null
        : createSmtpSender(mailSettings(config, config.smtpUrl, () => url)),
    inboxSecret,
    createTestNetwork,
    acquirers: config.acquirers,
    acquirerOrigins: config.acquirerOrigins,
    acquirerTimeoutMs: config.acquirerTimeoutMs,
  });
  const metrics =
    meters && siblings.primary === null
      ? serveMetrics({
          configuredHost: config.metricsHost,
          read: createGauges(gaugesDeps(config, app.database, meters.registry, log)),
        })
      : null;
  if (meters && siblings.primary) {
    const refresh = createConnectionGauges(meters.registry, app.database);
    reportMetrics(siblings.primary, meters.registry, refresh);
  }
  const close = async (): Promise<void> => {
    await metrics?.close();
    await app.close();
    await tracing?.close();
  };
  let metricsUrl: string | null = null;
  try {
    const { host } = config;
    const port = config.port ?? (await defaultPort(config));
    const listener = siblings.primary ? "shared" : "own";
    const listeningAt = await listenOn(app.http, { host, port, setting: "PORT", listener });
    url = config.publicUrl ?? listeningAt;
    if (metrics) metricsUrl = await listenForMetrics(metrics, config);
  } catch (error) {
    // The background jobs are already running. Without this call, they would keep the process alive although it serves
    // no requests.
    await close();
    throw error;
  }
  return { ...app, url, metricsUrl, close };
}

/** Returns the options of a process's metrics, which must be the same in all processes of a service. */
export function metricsOptions({ otlpUrl }: Config): { readonly tracing: boolean } {
  return { tracing: otlpUrl !== null };
}

/** Starts tracing if there is a collector. The OpenTelemetry SDK is loaded only then. */
async function tracingOf(
  { otlpUrl, traceRatio }: Config,
  log: Logger,
  meters: Meters | null,
): Promise<Tracing | null> {
  if (otlpUrl === null) return null;
  const { startTracing } = await import("./platform/tracing/otlp-tracing.ts");
  return startTracing({
    url: otlpUrl,
    ratio: traceRatio,
    version: versions.service,
    clock: systemClock,
    count: (result, spans) => meters?.countSpans(result, spans),
    onFailure(reason) {
      meters?.logged("warn");
      log.warn({ reason }, "tracing: spans could not be exported");
    },
  });
}

/** The first port to try when `PORT` is not set. */
export const firstPort = 4242;

/** Returns the port to listen on when `PORT` is not set. */
export function defaultPort({ host }: Config): Promise<number> {
  return nextFreePort({ host, port: firstPort, setting: "PORT" });
}

export function gaugesDeps(
  config: Config,
  database: Database,
  registry: MetricsRegistry,
  log: Logger,
): GaugesDeps {
  return {
    registry,
    database,
    clock: systemClock,
    sendsMail: config.smtpUrl !== null,
    onError: (error) => log.error({ err: error }, "metrics: could not be read"),
  };
}

/** Listens on the configured port of `/metrics` and returns the URL for Prometheus. */
export async function listenForMetrics(
  metrics: FastifyInstance,
  { metricsHost, metricsPort }: Config,
): Promise<string> {
  const where = { host: metricsHost, port: metricsPort as number };
  return `${await listenOn(metrics, { ...where, setting: "METRICS_PORT" })}/metrics`;
}

function mailSettings(
  { mailFrom, publicUrl, smtpTls }: Config,
  url: string,
  origin: () => string,
): SmtpOptions {
  const host = publicUrl === null ? "localhost" : new URL(publicUrl).hostname;
  const leavesTheMachine = !isLoopback(new URL(url).hostname);
  return {
    url,
    origin,
    from: mailFrom ?? `Florin <no-reply@${host}>`,
    tls: smtpTls && leavesTheMachine ? "verified" : "opportunistic",
  };
}
