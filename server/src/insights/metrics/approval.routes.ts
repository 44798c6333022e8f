import { ApprovalMetrics, ReadApprovalMetrics } from "@florin/contract/approval-metrics.ts";
import { listMerchantConnections } from "../../acquiring/connections/merchant-connections.ts";
import type { Clock } from "../../core/clock.ts";
import { parseId, uuidOf } from "../../core/ids.ts";
import type { Database } from "../../platform/database/database.ts";
import { ok, type Route, route } from "../../platform/http/route.ts";
import { readCosts } from "../../reconciliation/settlement-cost.sql.ts";
import { readFirstApprovalHour, sumApprovals } from "./approval.sql.ts";
import { approvalMetricsOf, simulatorConnection } from "./approval-metrics.ts";
import { readMeasuredTo } from "./metrics.sql.ts";
import { metricsRange } from "./metrics-range.ts";
import { hourMs } from "./tally.ts";

export function approvalRoutes({ database, clock }: { database: Database; clock: Clock }): Route[] {
  return [
    route({
      method: "GET",
      path: "/metrics/approvals",
      summary: "Retrieve approval rates",
      permission: "payments:read",
      query: ReadApprovalMetrics,
      response: ApprovalMetrics,
      status: 200,
      async handle({ scope, query, permissions }) {
        const { read } = database;
        const { from, to, starts } = metricsRange(query, clock.now());
        const filter = {
          assignment: assignmentOf(query.connection),
          network: query.network,
          country: query.country,
          declineCode: query.decline_code,
        };
        const border = Math.min(Math.max(await readMeasuredTo(read, scope), from), to);
        const rows = await sumApprovals(read, scope, { from, to, border, starts }, filter);
        const { time_zone: timeZone = "UTC" } = query;
        const last = starts.at(-1) ?? from;
        const days = { from: dateOfHour(from, timeZone), to: dateOfHour(last, timeZone) };
        // Fees are part of the ledger, which only callers with this permission can read.
        const costs = permissions.has("balance:read")
          ? await readCosts(read, scope, days, filter)
          : [];
        const connections = await listMerchantConnections(read, scope.account);
        const since = await readFirstApprovalHour(read, scope);
        return ok({
          object: "approval_metrics",
          livemode: scope.livemode,
          from: from * 3_600,
          to: to * 3_600,
          counted_since: since === null ? null : since * 3_600,
          ...approvalMetricsOf(rows, costs, connections, starts, query.decline_code),
        });
      },
    }),
  ];
}

/** Returns the UUID of the filter's connection, null for the simulator, and undefined without a filter. */
function assignmentOf(connection: string | undefined): string | null | undefined {
  if (connection === undefined) return undefined;
  if (connection === simulatorConnection) return null;
  const id = parseId("asg", connection);
  // An invalid ID becomes the nil UUID, which no payment has.
  return id ? uuidOf(id) : "00000000-0000-0000-0000-000000000000";
}

/**
 * Returns the date of an hour since 1970 in a time zone, such as `2026-1-31`. A settlement file covers one UTC day. In
 * every time zone, its fees count for the day with the same date, so that consecutive ranges never count them twice.
 */
function dateOfHour(hour: number, timeZone: string): string {
  const instant = Temporal.Instant.fromEpochMilliseconds(hour * hourMs);
  const { year, month, day } = instant.toZonedDateTimeISO(timeZone);
  return `${year}-${month}-${day}`;
}
