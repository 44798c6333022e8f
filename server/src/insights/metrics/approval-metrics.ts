import type { ApprovalFigures, ApprovalMetrics } from "@florin/contract/approval-metrics.ts";
import type { DeclineCode } from "@florin/contract/declines.ts";
import type { MerchantConnection } from "../../acquiring/connections/merchant-connections.ts";
import { idFromUuid } from "../../core/ids.ts";
import type { CostRow } from "../../reconciliation/settlement-cost.sql.ts";
import type { ApprovalRow, Grouping } from "./approval.sql.ts";
import { wilsonInterval } from "./confidence.ts";
import { suggest } from "./suggestions.ts";

/** The maximum number of countries in a response. Payments of all other countries are included only in the totals. */
const maxCountries = 100;

/** The ID of test mode's acquirer, which has no connection. */
export const simulatorConnection = "simulator";

/** Returns the part of the response that is computed from the counted payments. */
export function approvalMetricsOf(
  rows: readonly ApprovalRow[],
  costRows: readonly CostRow[],
  connections: readonly MerchantConnection[],
  starts: readonly number[],
  declineCode: DeclineCode | undefined,
): Omit<ApprovalMetrics, "object" | "livemode" | "from" | "to" | "counted_since"> {
  const of = (grouping: Grouping) => rows.filter((row) => row.grouping === grouping);
  const days = of("day");
  const byDay = new Map(days.map((row) => [row.day, row]));
  const known = new Map<string, MerchantConnection>(connections.map((one) => [one.id, one]));
  const declines = declinesOf(of("decline_code"));
  const costs = costRows.map(({ assignment_id, fee, currency, ...row }) => ({
    ...row,
    connection: connectionId(assignment_id),
    currency: currency as ApprovalMetrics["costs"][number]["currency"],
    fees: fee,
  }));
  const segments = [...of("connection_network"), ...of("connection_country")]
    .filter(({ grouping, country }) => grouping === "connection_network" || country !== null)
    .map((row) => ({ ...row, connection: connectionId(row.assignment_id) }));
  return {
    total: figuresOf(sumOf(days)),
    data: starts.map((start, day) => ({
      start: start * 3_600,
      ...figuresOf(byDay.get(day) ?? nothing),
    })),
    connections: of("connection").map((row) => {
      const id = connectionId(row.assignment_id);
      const connection = known.get(id);
      return {
        connection: id,
        acquirer: connection?.processor ?? "simulator",
        merchant_account: connection?.merchantAccount ?? null,
        ...figuresOf(row),
      };
    }),
    networks: of("network").map((row) => ({
      network: row.network ?? "unknown",
      ...figuresOf(row),
    })),
    countries: of("country")
      .slice(0, maxCountries)
      .map((row) => ({ country: row.country, ...figuresOf(row) })),
    declines: declines
      .filter(({ code }) => declineCode === undefined || code === declineCode)
      .map(({ code, count, share }) => ({ decline_code: code, count, share })),
    costs,
    suggestions: suggest(segments, costs, declines),
  };
}

function connectionId(assignment: string | null): string {
  return assignment === null ? simulatorConnection : idFromUuid("asg", assignment);
}

type Counts = Pick<ApprovalRow, "attempts" | "approved" | "declined">;
const nothing: Counts = { attempts: 0, approved: 0, declined: 0 };

function sumOf(rows: readonly Counts[]): Counts {
  return rows.reduce(
    (sum, row) => ({
      attempts: sum.attempts + row.attempts,
      approved: sum.approved + row.approved,
      declined: sum.declined + row.declined,
    }),
    nothing,
  );
}

function figuresOf({ attempts, approved, declined }: Counts): ApprovalFigures {
  return {
    attempts,
    approved,
    declined,
    approval_rate: attempts === 0 ? null : approved / attempts,
    interval: wilsonInterval({ successes: approved, size: attempts }),
  };
}

/** Returns the decline codes with their shares. The row without a code contains the approved payments. */
function declinesOf(rows: readonly ApprovalRow[]) {
  const declined = rows.flatMap(({ decline_code, attempts }) =>
    decline_code === null ? [] : [{ code: decline_code as DeclineCode, count: attempts }],
  );
  const all = declined.reduce((sum, { count }) => sum + count, 0);
  return declined.map((one) => ({ ...one, share: one.count / all }));
}
