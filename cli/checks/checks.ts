import type { Check, Result } from "./check.ts";
import { databaseChecks } from "./database-checks.ts";
import { machineChecks } from "./machine-checks.ts";
import { settingChecks } from "./setting-checks.ts";

/** Checks that run before there is a database. */
export const checksBeforeStart = [...settingChecks, ...machineChecks];

/** Errors that stop most commands. `florin doctor` reports each of them as a failed check. */
const commandErrors: readonly Check<null>[] = [
  {
    name: "settings",
    about: "Every setting is valid.",
    outcomes: {
      wrong: {
        severity: "failed",
        when: "a setting has an invalid value, such as `sslmode=disable` in a `DATABASE_URL` with another host, or the name of a `FLORIN_…` setting is misspelled",
        means: "The service does not start, because it would not run as intended.",
        fix: "Correct the setting that the error message names ([settings](settings.md)).",
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
        when: "Postgres is unreachable, a Postgres server on another host offers no TLS with a valid certificate, or Postgres requests the password in cleartext or with MD5 over a connection without TLS",
        means:
          "The service cannot run without its database, and does not send a password that others could read.",
        fix: "Follow the instructions in the error message.",
      },
    },
    find: () => null,
  },
  {
    name: "migrations",
    about: "This version of Florin can use the tables of the database.",
    outcomes: {
      unknown: {
        severity: "failed",
        when: "a newer version of Florin has migrated the database, or an applied migration differs from the one of this version",
        means: "The service does not start.",
        fix: "Start the version that migrated the database last ([return to the previous version](upgrading.md#return-to-the-previous-version)). If the files of this version were modified, install the released package again.",
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
        when: "`FLORIN_KEYS` lacks a key that the database was written with, or contains a different key under the same name",
        means: "No API key would be recognized, and no stored card could be decrypted.",
        fix: "Set `FLORIN_KEYS` to the correct directory, or restore the directory from its backup ([backups](production.md#backups)).",
      },
    },
    find: () => null,
  },
];

/** Every check, in the order of the documentation. */
export const allChecks: readonly Pick<Check<never>, "name" | "about" | "outcomes">[] = [
  ...commandErrors,
  ...checksBeforeStart,
  ...databaseChecks,
];

/** Returns the result of one of `commandErrors`: failed with the message of `error`, or "ok" if `error` is null. */
export function failedResult(
  name: "settings" | "database" | "migrations" | "keys",
  error: Error | null,
): Result {
  const { about, outcomes } = commandErrors.find((check) => check.name === name) as Check<null>;
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
