import type { Health } from "@florin/contract/operator.ts";
import { unixSeconds } from "../../core/clock.ts";
import { createdAt } from "../../core/ids.ts";
import { listInactivePeople } from "../../identity/people/last-sign-in.sql.ts";
import { listRuns, readLastReports } from "../../insights/monitoring/checker-run.sql.ts";
import {
  readDatabaseSize,
  readFailingEndpoints,
  readOpenDifferences,
  readProcesses,
  readQueues,
  readUnknownOutcomes,
} from "../../insights/monitoring/health.sql.ts";
import type { Sql } from "../../platform/database/sql.ts";
import { listDifferencesSince } from "../../reconciliation/difference.sql.ts";
import { differenceObject } from "../../reconciliation/difference.ts";
import { countDaysSinceRestore, listRestores } from "../../reconciliation/restore.sql.ts";
import { statusOf } from "./checker-run.ts";
import type { OperatorDeps } from "./operator-deps.ts";

/** PCI DSS 8.2.6: accounts of people who have been inactive for 90 days are removed or disabled. */
const inactiveAfterMs = 90 * 24 * 60 * 60_000;

const maxInactiveListed = 100;

const restoreShownForMs = 30 * 24 * 60 * 60_000;

const maxDifferencesListed = 100;

/** Returns the state of the service from its database. */
export async function describeHealth(
  {
    database: { read },
    sendsMail,
    cardSearchHour,
  }: Pick<OperatorDeps, "database" | "sendsMail" | "cardSearchHour">,
  now: Date,
): Promise<Health> {
  const inactiveSince = new Date(now.getTime() - inactiveAfterMs);
  const [inactive, queues, unknown, failing, differences, restore, cardSearch, processes, size] =
    await Promise.all([
      listInactivePeople(read, inactiveSince, maxInactiveListed),
      readQueues(read, now, { sendsMail }),
      readUnknownOutcomes(read),
      readFailingEndpoints(read),
      readOpenDifferences(read),
      describeLastRestore(read, now),
      describeCardSearch(read, cardSearchHour, now),
      readProcesses(read),
      readDatabaseSize(read),
    ]);
  return {
    checked_at: unixSeconds(now),
    queues: queues.map(({ oldest, ...queue }) => ({
      ...queue,
      oldest: oldest && unixSeconds(oldest),
    })),
    unknown_outcomes: unknown.map((one) => ({ ...one, created: unixSeconds(createdAt(one.id)) })),
    failing_endpoints: failing.map(({ failingSince, ...endpoint }) => ({
      ...endpoint,
      failing_since: failingSince && unixSeconds(failingSince),
    })),
    open_differences: differences,
    last_restore: restore,
    inactive_people: {
      total: inactive.total,
      data: inactive.people.map(({ activeAt, ...person }) => ({
        ...person,
        last_active: unixSeconds(activeAt),
      })),
    },
    card_search: cardSearch,
    processes: processes.map(({ number, seenAt }) => ({ number, seen_at: unixSeconds(seenAt) })),
    database: { size_bytes: size.sizeBytes, connections: size.connections },
  };
}

async function describeLastRestore(read: Sql, now: Date): Promise<Health["last_restore"]> {
  const [restore] = await listRestores(read, new Date(now.getTime() - restoreShownForMs));
  if (!restore) return null;
  const [days, { total, listed }] = await Promise.all([
    countDaysSinceRestore(read, restore),
    listDifferencesSince(read, restore.restoredAt, maxDifferencesListed),
  ]);
  return {
    restored_at: unixSeconds(restore.restoredAt),
    restored_to: unixSeconds(restore.restoredTo),
    days_compared: days.compared,
    days_without_file: days.withoutFile,
    differences: {
      total,
      data: listed.map((one) => ({ ...differenceObject(one), account: one.scope.account })),
    },
  };
}

async function describeCardSearch(
  read: Sql,
  hour: number | null,
  now: Date,
): Promise<Health["card_search"]> {
  const [[newest], reports] = await Promise.all([
    listRuns(read, "card_data", 1),
    readLastReports(read),
  ]);
  const last = reports.find(({ kind }) => kind === "card_data");
  return {
    hour,
    status: newest ? statusOf(newest, now) : null,
    error: newest?.error ?? null,
    last_success: last ? unixSeconds(last.endedAt) : null,
    findings: last?.report.violations ?? null,
    places: last?.report.results.flatMap(({ sentences }) => sentences) ?? [],
  };
}
