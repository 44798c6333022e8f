import { parseArgs } from "node:util";
import { settlementsOfReports } from "@florin/server/acquiring/connections/settlements-of-reports.ts";
import { type Config, WrongSetting } from "@florin/server/config.ts";
import { systemClock } from "@florin/server/core/clock.ts";
import type { Scope } from "@florin/server/core/scope.ts";
import type { Database } from "@florin/server/platform/database/database.ts";
import { pageOf } from "@florin/server/platform/http/list.ts";
import { dayMs, dayOf, isDay } from "@florin/server/reconciliation/day.ts";
import { listDifferences } from "@florin/server/reconciliation/difference.sql.ts";
import { type Difference, differenceObject } from "@florin/server/reconciliation/difference.ts";
import { reconcileAllAccounts } from "@florin/server/reconciliation/reconciliation.jobs.ts";
import type { Reconciliation } from "@florin/server/reconciliation/reconciliation.ts";
import { createSettlement } from "@florin/simulator/settlement.ts";
import { withDatabase } from "./with-database.ts";

/**
 * `florin reconcile [--day 2026-01-31] [--json]`: exits with 0 when the settlement file of every merchant was compared
 * and there are no open differences, and 1 otherwise.
 */
export async function reconcile(config: Config, arguments_: string[]): Promise<number> {
  const { values } = parseArgs({
    args: arguments_,
    options: { day: { type: "string" }, json: { type: "boolean", default: false } },
  });
  const day = values.day ?? dayOf(new Date(systemClock.now().getTime() - dayMs));
  if (!isDay(day)) throw new WrongSetting("--day must be a date such as 2026-01-31.");
  const reports = await withDatabase(config, async (database) => {
    const settlement = createSettlement(database, systemClock);
    const reported = settlementsOfReports(database.read, systemClock);
    const deps = {
      database,
      clock: systemClock,
      settlementsOf: ({ livemode }: Scope) => (livemode ? reported : settlement),
    };
    const days = await reconcileAllAccounts(deps, day);
    return Promise.all(
      days.map(
        async (one): Promise<AccountReport> => ({
          reconciliation: one,
          differences: await listOpenDifferences(database, one.scope),
        }),
      ),
    );
  });
  console.log(values.json ? JSON.stringify(reports, null, 2) : print(day, reports));
  const isComplete = reports.every(
    ({ reconciliation: { outcome } }) =>
      outcome.status === "balanced" || outcome.status === "in_transit",
  );
  return isComplete ? 0 : 1;
}

type AccountReport = {
  readonly reconciliation: Reconciliation;
  readonly differences: readonly Difference[];
};

/** Returns the open differences, and the differences in transit, which close automatically. */
async function listOpenDifferences({ read }: Database, scope: Scope): Promise<Difference[]> {
  const page = pageOf({ limit: 100 }, "dif");
  const open = await listDifferences(read, scope, { status: "open" }, page);
  return [...open, ...(await listDifferences(read, scope, { status: "in_transit" }, page))];
}

function print(day: string, reports: readonly AccountReport[]): string {
  const lines = reports.flatMap(({ reconciliation: { scope, outcome }, differences }) => [
    `${outcome.status.padEnd(15)} ${scope.account}${"message" in outcome ? `  ${outcome.message}` : ""}`,
    ...differences.map((one) => {
      const { status, kind, message, advice } = differenceObject(one);
      return `  ${status === "open" ? "!" : "~"} ${kind}: ${message}${status === "open" ? `\n      ${advice}` : " (in transit)"}`;
    }),
  ]);
  return [
    ...lines,
    `${day}: ${reports.length} merchant${reports.length === 1 ? "" : "s"} reconciled.`,
  ].join("\n");
}
