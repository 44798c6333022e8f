import { parseArgs } from "node:util";
import { listAllAssignments } from "@florin/server/acquiring/connections/assignment.sql.ts";
import { listConnections } from "@florin/server/acquiring/connections/connection.sql.ts";
import { processorsByAccount } from "@florin/server/acquiring/connections/connection-directory.ts";
import { settlementsOfReports } from "@florin/server/acquiring/connections/settlements-of-reports.ts";
import { type Config, WrongSetting } from "@florin/server/config.ts";
import { systemClock } from "@florin/server/core/clock.ts";
import type { Scope } from "@florin/server/core/scope.ts";
import { dayMs, dayOf, daysFrom, isDay } from "@florin/server/core/utc-day.ts";
import type { Database } from "@florin/server/platform/database/database.ts";
import { pageOf } from "@florin/server/platform/http/list.ts";
import { countDifferences, listDifferences } from "@florin/server/reconciliation/difference.sql.ts";
import { type Difference, differenceObject } from "@florin/server/reconciliation/difference.ts";
import { reconcileAllAccounts } from "@florin/server/reconciliation/reconciliation.jobs.ts";
import type { Reconciliation } from "@florin/server/reconciliation/reconciliation.ts";
import { listRestores } from "@florin/server/reconciliation/restore.sql.ts";
import { createSettlement } from "@florin/simulator/settlement.ts";
import { withDatabase } from "./with-database.ts";

/**
 * `florin reconcile [--day 2026-01-31 | --since-restore] [--json]`: exits with 0 when the settlement file of every
 * merchant was compared and there are no open differences, and 1 otherwise.
 */
export async function reconcile(config: Config, arguments_: string[]): Promise<number> {
  const { values } = parseArgs({
    args: arguments_,
    options: {
      day: { type: "string" },
      "since-restore": { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
  });
  const now = systemClock.now();
  const day = values.day ?? dayOf(new Date(now.getTime() - dayMs));
  if (!isDay(day)) {
    throw new WrongSetting(`--day must be a date such as 2026-01-31. Got '${day}'.`);
  }
  const today = dayOf(now);
  if (day > today) {
    throw new WrongSetting(
      `--day must be today or a past day. Got '${day}'. Today is ${today}, in UTC.`,
    );
  }
  if (values.day !== undefined && values["since-restore"]) {
    throw new WrongSetting("Use either --day or --since-restore, not both.");
  }
  const { days, reports } = await withDatabase(config, async (database) => {
    const settlement = createSettlement(database, systemClock);
    const processors = processorsByAccount(
      await listConnections(database.read),
      await listAllAssignments(database.read),
    );
    const deps = {
      database,
      clock: systemClock,
      settlementsOf({ account, livemode }: Scope) {
        if (!livemode) return settlement;
        const own = processors.get(account) ?? [];
        return own.length > 0 ? settlementsOfReports(database.read, systemClock, own) : null;
      },
    };
    const days = values["since-restore"] ? await listDaysSinceRestore(database) : [day];
    let reconciled: Reconciliation[] = [];
    for (const one of days) reconciled = reconciled.concat(await reconcileAllAccounts(deps, one));
    return { days, reports: await listReports(database, reconciled) };
  });
  console.log(values.json ? JSON.stringify(reports, null, 2) : print(days, reports));
  const isComplete = reports.every(
    ({ reconciliation: { outcome } }) =>
      outcome.status === "balanced" || outcome.status === "in_transit",
  );
  return isComplete ? 0 : 1;
}

type Differences = {
  readonly differences: readonly Difference[];
  /** The number of further differences per status, which `differences` omits because of `maxListed`. */
  readonly leftOut: Readonly<Record<ListedStatus, number>>;
};

type ListedStatus = "open" | "in_transit";

type AccountReport = Differences & { readonly reconciliation: Reconciliation };

async function listDaysSinceRestore({ read }: Database): Promise<string[]> {
  const [restore] = await listRestores(read, new Date(0));
  if (restore) return daysFrom(restore.restoredTo, systemClock.now());
  throw new WrongSetting(
    "No restore of this database is recorded. Use --day. After a restore with the tools of Postgres, record it with 'florin restore --to TIME'.",
  );
}

/** Differences belong to a merchant and not to a day, so they are listed once, with the merchant's last day. */
async function listReports(
  database: Database,
  reconciled: readonly Reconciliation[],
): Promise<AccountReport[]> {
  const keyOf = ({ scope }: Reconciliation) => `${scope.account} ${scope.livemode}`;
  const last = new Map(reconciled.map((one) => [keyOf(one), one]));
  const none: Differences = { differences: [], leftOut: { open: 0, in_transit: 0 } };
  return Promise.all(
    reconciled.map(async (one) => ({
      reconciliation: one,
      ...(last.get(keyOf(one)) === one ? await listOpenDifferences(database, one.scope) : none),
    })),
  );
}

/** The maximum number of differences with the same status that are printed for a merchant. */
const maxListed = 100;

/** Returns the newest open differences, and the newest differences in transit, which close automatically. */
async function listOpenDifferences({ read }: Database, scope: Scope): Promise<Differences> {
  const page = pageOf({ limit: maxListed }, "dif");
  const list = async (status: ListedStatus) => {
    // The page is read with one more row than is shown, to detect whether there is another page.
    const rows = await listDifferences(read, scope, { status }, page);
    if (rows.length <= maxListed) return { listed: rows, leftOut: 0 };
    const count = await countDifferences(read, scope, status);
    return { listed: rows.slice(0, maxListed), leftOut: count - maxListed };
  };
  const open = await list("open");
  const inTransit = await list("in_transit");
  return {
    differences: [...open.listed, ...inTransit.listed],
    leftOut: { open: open.leftOut, in_transit: inTransit.leftOut },
  };
}

function print(days: readonly string[], reports: readonly AccountReport[]): string {
  return days
    .map((day) =>
      printDay(
        day,
        reports.filter(({ reconciliation }) => reconciliation.day === day),
      ),
    )
    .join("\n");
}

function printDay(day: string, reports: readonly AccountReport[]): string {
  const lines = reports.flatMap(({ reconciliation: { scope, outcome }, differences, leftOut }) => [
    `${outcome.status.padEnd(15)} ${scope.account}${"message" in outcome ? `  ${outcome.message}` : ""}`,
    ...differences.map((one) => {
      const { status, kind, message, advice } = differenceObject(one);
      return `  ${status === "open" ? "!" : "~"} ${kind}: ${message}${status === "open" ? `\n      ${advice}` : " (in transit)"}`;
    }),
    ...printLeftOut(leftOut),
  ]);
  return [
    ...lines,
    `${day}: ${reports.length} merchant${reports.length === 1 ? "" : "s"} reconciled.`,
  ].join("\n");
}

/** Returns a line for each status for which only some of the differences are printed. */
function printLeftOut(leftOut: Differences["leftOut"]): string[] {
  return (["open", "in_transit"] as const)
    .filter((status) => leftOut[status] > 0)
    .map((status) => {
      const count = `${leftOut[status]} more ${status === "open" ? "open" : "in transit"}`;
      return `  … ${count}. GET /api/v1/reconciliation_differences?status=${status} lists all of them.`;
    });
}
