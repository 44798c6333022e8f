import type { Check, Result } from "./check.ts";
import { databaseChecks } from "./database-checks.ts";
import { machineChecks } from "./machine-checks.ts";
import { settingChecks } from "./setting-checks.ts";

/** The checks that need nothing but this machine. */
export const checksBeforeStart = [...settingChecks, ...machineChecks];

/**
 * Conditions that whoever meets them throws as an error: every command refuses them, and `florin doctor` shows them as
 * lines of their own.
 */
export const refusedElsewhere: readonly Check<null>[] = [
  {
    name: "settings",
    about: "Every setting can be used.",
    outcomes: {
      wrong: {
        severity: "refused",
        when: "a setting has no such value, or a `FLORIN_…` is misspelt",
        means:
          "The service would run otherwise than was meant. Among them is a `DATABASE_URL` on another host with an `sslmode` that verifies nothing, without `FLORIN_DATABASE_TLS=off`.",
        fix: "Correct the setting that the message names ([settings](settings.md)).",
      },
    },
    find: () => null,
  },
  {
    name: "database",
    about: "Postgres is reached.",
    outcomes: {
      unreachable: {
        severity: "refused",
        when: "Postgres is not reached, offers no verified TLS on another host, or asks for a password in cleartext or by MD5 without TLS",
        means: "Nothing works without it, and a password is not sent where others could read it.",
        fix: "Follow the message.",
      },
    },
    find: () => null,
  },
  {
    name: "keys",
    about: "The keys are those of the database.",
    outcomes: {
      wrong: {
        severity: "refused",
        when: "`FLORIN_KEYS` lacks a key that the database was written with, or holds another in its place",
        means: "No API key would be recognised, and no stored card could be decrypted.",
        fix: "Set `FLORIN_KEYS` to the right directory, or restore it from its backup ([backups](production.md#backups)).",
      },
    },
    find: () => null,
  },
];

/** Every check, in the order of the documentation. */
export const allChecks: readonly Pick<Check<never>, "name" | "about" | "outcomes">[] = [
  ...refusedElsewhere,
  ...checksBeforeStart,
  ...databaseChecks,
];

/** Returns the line of a condition that was thrown, with its message. */
export function refusedResult(name: "settings" | "database" | "keys", error: Error | null): Result {
  const { about, outcomes } = refusedElsewhere.find((check) => check.name === name) as Check<null>;
  if (error === null) return { check: name, status: "ok", found: about, means: null, fix: null };
  const [outcome] = Object.values(outcomes);
  return {
    check: name,
    status: "refused",
    found: error.message,
    means: outcome?.means ?? null,
    fix: outcome?.fix ?? null,
  };
}
