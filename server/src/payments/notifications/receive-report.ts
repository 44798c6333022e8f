import type { ConnectionDirectory } from "../../acquiring/connections/connection-directory.ts";
import { storeSettlementReport } from "../../acquiring/connections/settlement-report.sql.ts";
import type { AcquirerOrigins } from "../../acquiring/connector.ts";
import { connectors } from "../../acquiring/connectors.ts";
import type { LiveNotification } from "../../acquiring/live-notification.ts";
import type { Clock } from "../../core/clock.ts";
import type { ConnectionId } from "../../core/ids.ts";
import type { Timers } from "../../core/timers.ts";
import type { Database } from "../../platform/database/database.ts";

export type ReportDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly directory: ConnectionDirectory;
  readonly origins: AcquirerOrigins;
};

export type ReportResult =
  | { readonly kind: "applied" | "ignored" }
  | { readonly kind: "review" | "retry"; readonly problem: string };

/**
 * Fetches and stores the settlement report that a notification announces. No transaction is open while the report is
 * fetched.
 */
export async function receiveReport(
  { database, clock, timers, directory, origins }: ReportDeps,
  id: ConnectionId,
  notification: LiveNotification,
): Promise<ReportResult> {
  const open = directory.connection(id);
  if (!open) return { kind: "retry", problem: "The connection is not active." };
  const { environment, processor } = open.connection;
  if (notification.live !== (environment === "live")) {
    const problem = "The environment in the notification differs from that of the connection.";
    return { kind: "review", problem };
  }
  const options = { timers, origin: origins[processor] };
  const fetched = await connectors[processor].fetchReport(open, notification, options);
  if (fetched.kind !== "fetched") return fetched;
  const { fileName, report } = fetched;
  const received = { fileName, at: clock.now() };
  const stored = await database.transaction((tx) =>
    storeSettlementReport(tx, id, report, received),
  );
  if (stored === "archived") {
    return {
      kind: "review",
      problem: `The report corrects batch ${report.batch}, which contains archived payments.`,
    };
  }
  return report.problem === null
    ? { kind: "applied" }
    : { kind: "review", problem: report.problem };
}
