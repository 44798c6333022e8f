import { parseArgs } from "node:util";
import { type Config, readConfig, WrongSetting } from "@florin/server/config.ts";
import { findCluster } from "@florin/server/platform/database/embedded-cluster.ts";
import { readMissingMigrations } from "@florin/server/platform/database/migrate.ts";
import { explainFileError, StartupError } from "@florin/server/platform/database/startup-error.ts";
import { verifyKeys } from "@florin/server/vault/key-checks.ts";
import {
  type DatabaseContext,
  type MachineContext,
  type Result,
  runChecks,
} from "./checks/check.ts";
import { checksBeforeStart, failedResult } from "./checks/checks.ts";
import { databaseChecks, isMigrated } from "./checks/database-checks.ts";
import { installation } from "./installation.ts";
import { withDatabase } from "./with-database.ts";

/** `florin doctor [--json]`: prints every check of the set-up. Exits with 1 if a check fails, and with 0 otherwise. */
export async function doctor(arguments_: string[]): Promise<number> {
  const { values } = parseArgs({
    args: arguments_,
    options: { json: { type: "boolean", default: false } },
  });
  const results = await examine();
  const failed = results.filter(({ status }) => status === "failed").length;
  const warnings = results.filter(({ status }) => status === "warning").length;
  if (values.json) console.log(JSON.stringify({ failed, warnings, checks: results }, null, 2));
  else console.log(report(results, failed, warnings));
  return failed > 0 ? 1 : 0;
}

async function examine(): Promise<Result[]> {
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    if (error instanceof WrongSetting) return [failedResult("settings", error)];
    throw error;
  }
  const before = await runChecks(checksBeforeStart, machineContext(config));
  return [failedResult("settings", null), ...before, ...(await examineDatabase(config))];
}

async function examineDatabase(config: Config): Promise<Result[]> {
  try {
    // There is no database to check yet, because the first start creates it.
    if (config.databaseUrl === null && !(await findCluster(config.dataDirectory))) return [];
    return await withDatabase(
      config,
      async (database, keys) => [
        failedResult("database", null),
        await examineError("migrations", () => readMissingMigrations(database.read)),
        ...(await runChecks(databaseChecks, { config, database } satisfies DatabaseContext)),
        ...((await isMigrated(database.read))
          ? [await examineError("keys", () => verifyKeys({ database, keys }))]
          : []),
      ],
      { verify: false },
    );
  } catch (error) {
    const explained = explainFileError(error);
    if (explained instanceof StartupError) return [failedResult("database", explained)];
    throw error;
  }
}

async function examineError(
  name: "migrations" | "keys",
  assertUsable: () => Promise<unknown>,
): Promise<Result> {
  const error = await assertUsable().then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error === null || error instanceof StartupError) return failedResult(name, error);
  throw error;
}

function machineContext(config: Config): MachineContext {
  return {
    config,
    environment: process.env,
    uid: process.getuid?.() ?? null,
    installation,
  };
}

/**
 * Runs the checks that need no database. `florin start` runs them first.
 *
 * @returns the warnings.
 * @throws StartupError if a check fails.
 */
export async function checkMachine(config: Config): Promise<string[]> {
  return warningsOf(await runChecks(checksBeforeStart, machineContext(config)));
}

/** Runs the checks of the database. Returns the warnings, and throws a StartupError if a check fails. */
export async function checkDatabase(context: DatabaseContext): Promise<string[]> {
  return warningsOf(await runChecks(databaseChecks, context));
}

function warningsOf(results: readonly Result[]): string[] {
  const failed = results.filter(({ status }) => status === "failed");
  if (failed.length > 0) {
    throw new StartupError(failed.map((result) => `Cannot start (${sentence(result)}`).join("\n"));
  }
  return results
    .filter(({ status }) => status === "warning")
    .map((result) => `Warning (${sentence(result)}`);
}

function sentence({ check, found, means, fix }: Result): string {
  return plain(`${check}): ${found}. ${means} ${fix}`);
}

function report(results: readonly Result[], failed: number, warnings: number): string {
  const width = Math.max(...results.map(({ check }) => check.length));
  const indent = " ".repeat("warning".length + width + 4);
  const lines = results.flatMap(({ check, status, found, means, fix }) => [
    `${status.padEnd("warning".length)}  ${check.padEnd(width)}  ${plain(found)}`,
    ...(means === null ? [] : [`${indent}Means: ${plain(means)}`]),
    ...(fix === null ? [] : [`${indent}Fix: ${plain(fix)}`]),
  ]);
  const end = `${failed} failed, ${warnings} ${warnings === 1 ? "warning" : "warnings"}. docs/operating/unsafe-settings.md lists every check.`;
  return [...lines, "", end].join("\n");
}

/** Converts the Markdown of the documentation to plain text. */
function plain(text: string): string {
  return text.replaceAll("`", "").replace(/\[([^\]]+)\]\(([^)]+)\)/g, "$1: docs/operating/$2");
}
