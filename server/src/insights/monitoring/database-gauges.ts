import { setTimeout as sleep } from "node:timers/promises";
import { Gauge } from "prom-client";
import type { Clock } from "../../core/clock.ts";
import { singleFlight } from "../../core/single-flight.ts";
import type { Database } from "../../platform/database/database.ts";
import { reachesPostgres } from "../../platform/database/reaches-postgres.sql.ts";
import {
  countFailingEndpoints,
  countOpenDifferences,
  countUnappliedNotifications,
  countUnknownOutcomes,
} from "./backlog.sql.ts";
import { readLastReports } from "./checker-run.sql.ts";
import {
  readCertificateExpiries,
  readClockOffset,
  readDatabaseSize,
  readProcesses,
  readQueues,
  readWalArchive,
} from "./health.sql.ts";
import type { Metrics } from "./merged-metrics.ts";
import { type MetricsRegistry, modeOf } from "./process-metrics.ts";

export type GaugesDeps = {
  readonly registry: MetricsRegistry;
  readonly database: Pick<Database, "read" | "connections">;
  readonly clock: Clock;
  /** True if there is a mail server. */
  readonly sendsMail: boolean;
  /** Called when the database is reachable but a query fails. */
  readonly onError: (error: unknown) => void;
};

/**
 * The timeout of the queries. Prometheus times out after ten seconds by default and must receive the other metrics
 * even if the database hangs.
 */
const queryTimeoutMs = 3_000;

/**
 * Creates gauges for the state of the service that is in its database: queues, overdue work and unknown outcomes. Every
 * server reports the same values, except the offset of its own clock. The returned function refreshes the gauges. It
 * returns within seconds, even if the queries have not finished.
 */
export function createDatabaseGauges(deps: GaugesDeps): () => Promise<void> {
  const gauges = databaseGauges(deps.registry);
  const reaches = createReach(deps.database);
  const refresh = singleFlight(() =>
    readDatabaseState(deps).catch((error) => {
      deps.onError(error);
      return null;
    }),
  );
  return async () => {
    const timeout = sleep(queryTimeoutMs, null, { ref: false });
    const reached = await Promise.race([reaches(), timeout]);
    const state = reached ? await Promise.race([refresh(), timeout]) : null;
    // Removes label sets that no longer apply.
    for (const gauge of Object.values(gauges)) {
      gauge.reset();
      // `reset` leaves a gauge without labels at zero, so that gauge is removed separately.
      gauge.remove({});
    }
    if (state) setGauges(gauges, state);
  };
}

/** Creates all gauges of a service with a single process. The returned function refreshes and reads them. */
export function createGauges(deps: GaugesDeps): () => Promise<Metrics[]> {
  const refreshDatabase = createDatabaseGauges(deps);
  const refreshConnections = createConnectionGauges(deps.registry, deps.database);
  return async () => {
    await Promise.all([refreshDatabase(), refreshConnections()]);
    return [await deps.registry.getMetricsAsJSON()];
  };
}

/** Creates gauges for the database connections of this process. The returned function refreshes them within seconds. */
export function createConnectionGauges(
  registry: MetricsRegistry,
  database: GaugesDeps["database"],
): () => Promise<void> {
  const gauges = connectionGauges(registry);
  const reaches = createReach(database);
  return async () => {
    const timeout = sleep(queryTimeoutMs, null, { ref: false });
    gauges.reached.set((await Promise.race([reaches(), timeout])) ? 1 : 0);
    for (const [state, count] of Object.entries(database.connections())) {
      gauges.connections.set({ state }, count);
    }
  };
}

function createReach(database: Pick<Database, "read">): () => Promise<boolean> {
  return singleFlight(() =>
    reachesPostgres(database.read).then(
      () => true,
      () => false,
    ),
  );
}

type DatabaseState = Awaited<ReturnType<typeof readDatabaseState>>;

/** Runs the queries sequentially, so that they use one connection. */
async function readDatabaseState({ database: { read }, clock, sendsMail }: GaugesDeps) {
  const now = clock.now();
  return {
    now,
    queues: await readQueues(read, now, { sendsMail }),
    unknown: await countUnknownOutcomes(read),
    failing: await countFailingEndpoints(read),
    differences: await countOpenDifferences(read),
    notifications: await countUnappliedNotifications(read),
    processes: await readProcesses(read),
    size: await readDatabaseSize(read),
    reports: await readLastReports(read),
    walArchive: await readWalArchive(read),
    certificates: await readCertificateExpiries(read),
    clockOffsetMs: await readClockOffset(read, clock),
  };
}

function setGauges(gauges: ReturnType<typeof databaseGauges>, state: DatabaseState): void {
  for (const { name: queue, waiting, overdue, oldest } of state.queues) {
    gauges.waiting.set({ queue }, waiting);
    gauges.overdue.set({ queue }, overdue);
    gauges.oldest.set({ queue }, oldest ? (state.now.getTime() - oldest.getTime()) / 1000 : 0);
  }
  for (const { livemode, reason, count } of state.unknown) {
    gauges.unknown.set({ mode: modeOf(livemode), reason }, count);
  }
  for (const { livemode, status, count } of state.failing) {
    gauges.failing.set({ mode: modeOf(livemode), status }, count);
  }
  for (const { livemode, count } of state.differences) {
    gauges.differences.set({ mode: modeOf(livemode) }, count);
  }
  for (const { state: of, count } of state.notifications) {
    gauges.notifications.set({ state: of }, count);
  }
  gauges.processes.set(state.processes.length);
  gauges.size.set(state.size.sizeBytes);
  gauges.clockOffset.set(state.clockOffsetMs / 1000);
  if (state.walArchive) {
    gauges.archiveFailing.set(state.walArchive.failing ? 1 : 0);
    gauges.archivePending.set(state.walArchive.pendingSegments);
  }
  for (const { purpose, expiresAt } of state.certificates) {
    gauges.certificateExpiry.set({ purpose }, expiresAt.getTime() / 1000);
  }
  for (const { kind, endedAt, report } of state.reports) {
    gauges.checkedAt.set({ kind }, endedAt.getTime() / 1000);
    gauges.violations.set({ kind }, report.violations);
  }
}

function connectionGauges(registry: MetricsRegistry) {
  const gauge = gaugeIn(registry);
  return {
    reached: new Gauge({
      name: "florin_database_up",
      help: "1 if the database responds to all processes of the service, 0 if it does not.",
      registers: [registry],
      aggregator: "min",
    }),
    connections: gauge(
      "florin_database_connections",
      "Connections for reads and ordinary transactions: busy, idle, and the number of waiting callers.",
      ["state"],
    ),
  };
}

function databaseGauges(registry: MetricsRegistry) {
  const gauge = gaugeIn(registry);
  return {
    waiting: gauge("florin_queue_waiting", "Jobs in the queue, due now or later.", ["queue"]),
    overdue: gauge("florin_queue_overdue", "Jobs that are due but not done.", ["queue"]),
    oldest: gauge(
      "florin_queue_oldest_overdue_seconds",
      "Seconds since the oldest job that is due became due.",
      ["queue"],
    ),
    unknown: gauge(
      "florin_unknown_outcomes",
      "Charges and operations with an unknown outcome. manual_review: a person must resolve it.",
      ["mode", "reason"],
    ),
    failing: gauge(
      "florin_failing_webhook_endpoints",
      "Webhook endpoints whose deliveries fail. disabled: Florin sends no events to the endpoint.",
      ["mode", "status"],
    ),
    differences: gauge(
      "florin_reconciliation_differences",
      "Open differences from the acquirer's settlement files.",
      ["mode"],
    ),
    notifications: gauge(
      "florin_acquirer_notifications",
      "Notifications from live acquirers that an operator must review. unmatched: no charge or operation has their reference.",
      ["state"],
    ),
    processes: gauge("florin_processes", "Server processes that run on this database."),
    size: gauge("florin_database_size_bytes", "The size of the database."),
    clockOffset: gauge(
      "florin_clock_offset_seconds",
      "Seconds by which this machine's clock is ahead of the database's, or behind it if negative.",
    ),
    archiveFailing: gauge(
      "florin_wal_archive_failing",
      "1 if the last attempt to archive a segment of the database's log failed.",
    ),
    archivePending: gauge(
      "florin_wal_archive_pending_segments",
      "Segments of the database's log, usually of 16 MB, that are not archived yet.",
    ),
    certificateExpiry: gauge(
      "florin_wallet_certificate_expires_timestamp_seconds",
      "Time at which the first certificate of an enabled wallet expires, by its purpose: payment_processing or merchant_identity.",
      ["purpose"],
    ),
    checkedAt: gauge(
      "florin_checker_last_run_timestamp_seconds",
      "Time of the last successful run: consistency (requested by an operator) or card_data (the daily search).",
      ["kind"],
    ),
    violations: gauge("florin_checker_violations", "Violations found by the last successful run.", [
      "kind",
    ]),
  };
}

function gaugeIn(registry: MetricsRegistry) {
  return (name: string, help: string, labelNames: string[] = []): Gauge =>
    new Gauge({ name, help, labelNames, registers: [registry] });
}
