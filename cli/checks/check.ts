import type { Config } from "@florin/server/config.ts";
import { isOnlyLocal } from "@florin/server/config.ts";
import type { Database } from "@florin/server/database/database.ts";

/** How bad a finding is. `refused` stops `florin start`. */
export type Severity = "warning" | "refused";

/** What a check may find. It is a row of docs/operating/unsafe-settings.md. */
export type Outcome = {
  readonly severity: Severity;
  readonly when: string;
  readonly means: string;
  readonly fix: string;
};

/** A finding by the name of its outcome, with what was found; null: all is well. */
export type Finding<Name extends string = string> = {
  readonly outcome: Name;
  readonly detail?: string;
} | null;

/** One question about how the service is set up, of `florin start` and `florin doctor`. */
export type Check<Facts, Name extends string = string> = {
  readonly name: string;
  /** What is looked at: the text of its line when all is well. */
  readonly about: string;
  readonly outcomes: Readonly<Record<Name, Outcome>>;
  readonly find: (facts: Facts) => Finding<Name> | Promise<Finding<Name>>;
};

/** What is known before anything was started. */
export type MachineFacts = {
  readonly config: Config;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The user the service runs as; null where the system has no such numbers. */
  readonly uid: number | null;
  /** The root of the installation. */
  readonly installation: string;
};

/** What is known once there is a database. */
export type DatabaseFacts = { readonly config: Config; readonly database: Database };

/** A finding with everything there is to say of it. */
export type Result = {
  readonly check: string;
  readonly status: "ok" | Severity;
  readonly found: string;
  readonly means: string | null;
  readonly fix: string | null;
};

/** Ties the names that a check may find to its outcomes. */
export function defineCheck<Facts>() {
  return <const Name extends string>(check: Check<Facts, Name>): Check<Facts> =>
    check as unknown as Check<Facts>;
}

/** Runs checks in their order. */
export async function runChecks<Facts>(
  checks: readonly Check<Facts>[],
  facts: Facts,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const { name, about, outcomes, find } of checks) {
    const finding = await find(facts);
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

/** Text that begins with a setting in backticks stays as it is. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Whether other people may depend on this service: what only a developer meets is not warned about. */
export function isPublic(config: Config): boolean {
  return config.environment === "production" || !isOnlyLocal(config);
}
