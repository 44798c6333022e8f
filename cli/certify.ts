import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import type { CertificationCheck } from "@florin/server/acquiring/certification.ts";
import {
  type CertificationResult,
  certifyConnection,
} from "@florin/server/admin/connections/certify-connection.ts";
import { type Config, WrongSetting } from "@florin/server/config.ts";
import { systemClock } from "@florin/server/core/clock.ts";
import { type ConnectionId, parseId } from "@florin/server/core/ids.ts";
import { systemTimers } from "@florin/server/core/timers.ts";
import { readSeconds } from "./seconds-option.ts";
import { withDatabase } from "./with-database.ts";

/**
 * `florin certify CONNECTION [--wait SECONDS] [--json]`: runs the connector's checks against the acquirer's sandbox.
 * Exits with 0 if the connection is certified, and 1 otherwise.
 */
export async function certify(config: Config, arguments_: string[]): Promise<number> {
  const { id, waitMs, json } = readArguments(arguments_);
  const result = await withDatabase(config, (database, keys) =>
    certifyConnection(
      {
        database,
        keys,
        clock: systemClock,
        timers: systemTimers,
        random: () => randomInt(2 ** 32) / 2 ** 32,
        origins: config.acquirerOrigins,
        returnUrl: config.publicUrl ?? "https://florin.example",
      },
      id,
      { waitMs, onCheck: (check) => json || console.log(line(check)) },
    ),
  );
  if (result.kind === "rejected") throw new WrongSetting(result.why);
  console.log(json ? JSON.stringify(summary(result), null, 2) : conclusion(result));
  return result.certifiedAt === null ? 1 : 0;
}

type Completed = Extract<CertificationResult, { kind: "completed" }>;

function summary({ connection, checks, certifiedAt }: Completed) {
  return {
    connection: connection.id,
    merchant_account: connection.settings.merchantAccount,
    certified_at: certifiedAt,
    ...counts(checks),
    checks,
  };
}

function counts(checks: readonly CertificationCheck[]) {
  const count = (status: CertificationCheck["status"]) =>
    checks.filter((check) => check.status === status).length;
  return {
    passed: count("passed"),
    failed: count("failed"),
    not_seen: count("not_seen"),
    skipped: count("skipped"),
  };
}

function line({ status, title, found }: CertificationCheck): string {
  return `${status.replace("_", " ").padEnd("not seen".length)}  ${title}\n          ${found}`;
}

function conclusion({ checks, certifiedAt }: Completed): string {
  const { passed, failed, not_seen, skipped } = counts(checks);
  const total = `${passed} passed, ${failed} failed, ${not_seen} not seen, ${skipped} skipped.`;
  if (certifiedAt !== null) return `\n${total} The connection is certified.`;
  return failed + not_seen > 0
    ? `\n${total} The connection is not certified.`
    : `\n${total} The connection is not certified, because it was changed during the checks. Run the checks again.`;
}

/** The maximum of `--wait`: a day. */
const maxWaitSeconds = 24 * 60 * 60;

function readArguments(arguments_: string[]): {
  id: ConnectionId;
  waitMs: number;
  json: boolean;
} {
  const { values, positionals } = parseArgs({
    args: arguments_,
    allowPositionals: true,
    options: {
      wait: { type: "string", default: "60" },
      json: { type: "boolean", default: false },
    },
  });
  const [text = "", ...more] = positionals;
  const id = parseId("con", text);
  if (!id || more.length > 0) {
    throw new WrongSetting(
      "certify needs the ID of a connection, such as con_01jbqw3e4r5t6y7z8x9cvbnmas. The connection's page in the admin console shows the ID.",
    );
  }
  const seconds = readSeconds("--wait", values.wait, maxWaitSeconds);
  return { id, waitMs: seconds * 1000, json: values.json };
}
