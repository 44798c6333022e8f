import type { Check, Result } from "./check.ts";
import { databaseChecks } from "./database-checks.ts";
import { machineChecks } from "./machine-checks.ts";
import { settingChecks } from "./setting-checks.ts";

/** Checks that run before there is a database. */
export const checksBeforeStart = [...settingChecks, ...machineChecks];

/** Conditions under which every command fails. `florin doctor` reports each on a separate line. */
export const failsElsewhere: readonly Check<null>[] = [
  {
    name: "settings",
    about: "Every setting is valid.",
    outcomes: {
      wrong: {
        severity: "failed",
        when: "a setting has an invalid value, or a `FLORIN_…` name is misspelt",
        means:
          "The service would not run as intended. This includes a `DATABASE_URL` on another host whose `sslmode` does not verify the certificate, without `FLORIN_DATABASE_TLS=off`.",
        fix: "Correct the setting that the message names ([settings](settings.md)).",
      },
    },
    find: () => null,
  },
  {
    name: "database",
    about: "Postgres is reachable.",
    outcomes: {
      unreachable: {
        severity: "failed",
        when: "Postgres is unreachable, offers no verified TLS on another host, or requests a password in cleartext or MD5 without TLS",
        means:
          "The service needs its database, and does not send a password where others could read it.",
        fix: "Do what the message says.",
      },
    },
    find: () => null,
  },
  {
    name: "keys",
    about: "The keys match the database.",
    outcomes: {
      wrong: {
        severity: "failed",
        when: "`FLORIN_KEYS` lacks a key that the database was written with, or contains another in its place",
        means: "No API key would be recognized, and no stored card could be decrypted.",
        fix: "Set `FLORIN_KEYS` to the right directory, or restore it from its backup ([backups](production.md#backups)).",
      },
    },
    find: () => null,
  },
];

/** Every check, in the order of the documentation. */
export const allChecks: readonly Pick<Check<never>, "name" | "about" | "outcomes">[] = [
  ...failsElsewhere,
  ...checksBeforeStart,
  ...databaseChecks,
];

/** Returns the result for such a condition, with the message of the error that was thrown. */
export function failedResult(name: "settings" | "database" | "keys", error: Error | null): Result {
  const { about, outcomes } = failsElsewhere.find((check) => check.name === name) as Check<null>;
  if (error === null) return { check: name, status: "ok", found: about, means: null, fix: null };
  const [outcome] = Object.values(outcomes);
  return {
    check: name,
    status: "failed",
    found: error.message,
    means: outcome?.means ?? null,
    fix: outcome?.fix ?? null,
  };
}
