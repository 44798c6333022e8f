import { parseArgs } from "node:util";
import { type Config, WrongSetting } from "@florin/server/config.ts";
import { pageOf } from "@florin/server/http/list.ts";
import { systemClock } from "@florin/server/primitives/clock.ts";
import { openSettlement } from "@florin/server/processors/simulator/settlement.ts";
import { listDifferences } from "@florin/server/reconciliation/difference.sql.ts";
import { type Difference, differenceObject } from "@florin/server/reconciliation/difference.ts";
import { reconcileEverybody } from "@florin/server/reconciliation/reconciliation.jobs.ts";
import type { Reconciliation } from "@florin/server/reconciliation/reconciliation.ts";
import { withDatabase } from "./with-database.ts";

/** `florin reconcile [--day 2026-01-31] [--json]`: 0 when nothing is to be looked at, 1 when something is. */
export async function reconcile(config: Config, arguments_: string[]): Promise<number> {
  const { values } = parseArgs({
    args: arguments_,
    options: { day: { type: "string" }, json: { type: "boolean", default: false } },
  });
  const day = values.day ?? yesterday();
  if (Number.isNaN(Date.parse(`${day}T00:00:00Z`)))
    throw new WrongSetting("--day takes a day, as 2026-01-31.");
  const made = await withDatabase(config, async (database) => {
    const settlement = openSettlement(database, systemClock);
    const deps = { database, clock: systemClock, settlementsOf: () => settlement };
    const days = await reconcileEverybody(deps, day);
    return Promise.all(
      days.map(async (one) => ({
        reconciliation: one,
        differences: (
          await Promise.all(
            (["open", "in_transit"] as const).map((status) =>
              listDifferences(database.read, one.owner, { status }, pageOf({ limit: 100 }, "dif")),
            ),
          )
        ).flat(),
      })),
    );
  });
  console.log(values.json ? JSON.stringify(made, null, 2) : print(day, made));
  return made.some(({ reconciliation }) => reconciliation.outcome.status === "differences") ? 1 : 0;
}

type Made = {
  readonly reconciliation: Reconciliation;
  readonly differences: readonly Difference[];
};

function print(day: string, made: readonly Made[]): string {
  const lines = made.flatMap(({ reconciliation: { owner, outcome }, differences }) => [
    `${outcome.status.padEnd(15)} ${owner.account}${"message" in outcome ? `  ${outcome.message}` : ""}`,
    ...differences.map((one) => {
      const { status, kind, message, advice } = differenceObject(one);
      return `  ${status === "open" ? "!" : "~"} ${kind}: ${message}${status === "open" ? `\n      ${advice}` : " (in transit)"}`;
    }),
  ]);
  return [
    ...lines,
    `${day}: ${made.length} merchant${made.length === 1 ? "" : "s"} reconciled.`,
  ].join("\n");
}

function yesterday(): string {
  return new Date(systemClock.now().getTime() - 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
}
