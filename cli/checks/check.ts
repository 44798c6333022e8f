import type { Config } from "@florin/server/config.ts";
import { isOnlyLocal } from "@florin/server/config.ts";
import type { Database } from "@florin/server/platform/database/database.ts";

/** The severity of a finding. `failed` stops `florin start`. */
export type Severity = "warning" | "failed";

/** A possible finding of a check, printed as a row of docs/operating/unsafe-settings.md. */
export type Outcome = {
  readonly severity: Severity;
  readonly when: string;
  readonly means: string;
  readonly fix: string;
};

/** The name of the outcome, and the details of the finding. Null when the check passes. */
export type Finding<Name extends string = string> = {
  readonly outcome: Name;
  readonly detail?: string;
} | null;

/** A check of the installation, run by `florin start` and `florin doctor`. */
export type Check<Context, Name extends string = string> = {
  readonly name: string;
  /** The text that is printed when the check passes. */
  readonly about: string;
  readonly outcomes: Readonly<Record<Name, Outcome>>;
  readonly find: (context: Context) => Finding<Name> | Promise<Finding<Name>>;
};

/** The inputs of checks that run before anything is started. */
export type MachineContext = {
  readonly config: Config;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The user id that the service runs as. Null on systems without user ids. */
  readonly uid: number | null;
  /** The root of the installation. */
  readonly installation: string;
};

/** The inputs of checks that need a connection to the database. */
export type DatabaseContext = { readonly config: Config; readonly database: Database };

/** The result of a check, ready to print. */
export type Result = {
  readonly check: string;
  readonly status: "ok" | Severity;
  readonly found: string;
  readonly means: string | null;
  readonly fix: string | null;
};

/** Creates a check. The type ensures that `find` returns only names of the check's outcomes. */
export function defineCheck<Context>() {
  return <const Name extends string>(check: Check<Context, Name>): Check<Context> =>
    check as unknown as Check<Context>;
}

/** Runs the checks in order. */
export async function runChecks<Context>(
  checks: readonly Check<Context>[],
  context: Context,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const { name, about, outcomes, find } of checks) {
    const finding = await find(context);
    if (finding === null) {
      results.push({ check: name, status: "ok", found: about, means: null, fix: null });
      continue;
    }
    const { severity, when, means, fix } = outcomes[finding.outcome] as Outcome;
    const found = capitalize(finding.detail ? `${when}: ${finding.detail}` : when);
    results.push({ check: name, status: severity, found, means, fix });
  }
  return results;
}

/** Capitalizes the first letter. Text that begins with a setting in backticks is unchanged. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Returns whether people other than the developer may depend on this service. On a development machine, fewer warnings
 * are printed.
 */
export function isPublic(config: Config): boolean {
  return config.environment === "production" || !isOnlyLocal(config);
}
