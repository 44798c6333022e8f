import type { MetricsPoint, PaymentMetrics } from "@florin/contract/metrics.ts";
import type { ChargeStatus } from "../../payments/charges/charge.ts";

export const hourMs = 60 * 60 * 1000;

/** Upper bounds of the latency histogram in milliseconds. The last bucket is unbounded. */
export const latencySteps = [
  50, 100, 150, 200, 300, 400, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 10_000, 20_000,
] as const;

/** Counts of the payments created in one hour in one currency. */
export type HourTally = {
  /** Hours since 1970. */
  readonly hour: number;
  readonly currency: string;
  readonly payments: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly capturedMinor: number;
  readonly steps: Steps;
  readonly declines: Readonly<Record<string, number>>;
  /** The number of payments in each latency bucket. */
  readonly latencies: readonly number[];
  /** The number of payments without a final outcome. Their outcomes will change the other numbers. */
  readonly open: number;
};

/** The numbers of payments and checkout sessions at each step of the funnel. */
export type Steps = {
  readonly inSession: number;
  /** The payments with a 3-D Secure result. */
  readonly authenticated: number;
  /** The payments with a 3-D Secure result that were approved. */
  readonly authenticatedApproved: number;
  /** The payments with a 3-D Secure result that failed. */
  readonly authenticatedFailed: number;
  readonly captures: number;
  readonly sessions: number;
  /** The checkout sessions with a payment. */
  readonly attempted: number;
};

export const noSteps: Steps = {
  inSession: 0,
  authenticated: 0,
  authenticatedApproved: 0,
  authenticatedFailed: 0,
  captures: 0,
  sessions: 0,
  attempted: 0,
};

/** The checkout sessions that were created in one hour in one currency. */
export type SessionTally = {
  readonly hour: number;
  readonly currency: string;
  readonly sessions: number;
  readonly attempted: number;
};

/** A group of payments of one hour with equal attributes, and the number of payments in the group. */
export type Alike = {
  readonly hour: number;
  readonly currency: string;
  readonly status: ChargeStatus;
  readonly decline_code: string | null;
  /** The latency bucket. Null when the latency includes waiting for a person, or is unknown. */
  readonly step: number | null;
  readonly in_session: boolean;
  readonly authenticated: boolean;
  readonly payments: number;
  readonly captured: number;
};

/** Merges groups of payments and tallies of sessions into one tally per hour and currency. */
export function tallyHours(
  groups: readonly Alike[],
  sessions: readonly SessionTally[] = [],
): HourTally[] {
  const tallies = [...groups.map(tallyOf), ...sessions.map(tallyOfSessions)];
  const hours = Map.groupBy(tallies, ({ hour, currency }) => `${hour} ${currency}`);
  return [...hours.values()].flatMap((some) => sum(some) ?? []);
}

function tallyOfSessions({ hour, currency, sessions, attempted }: SessionTally): HourTally {
  return {
    hour,
    currency,
    payments: 0,
    succeeded: 0,
    failed: 0,
    capturedMinor: 0,
    steps: { ...noSteps, sessions, attempted },
    declines: {},
    latencies: new Array<number>(latencySteps.length + 1).fill(0),
    open: 0,
  };
}

const approved: readonly ChargeStatus[] = ["authorized", "succeeded", "canceled"];
const unfinished: readonly ChargeStatus[] = ["processing", "requires_action", "authorized"];

function tallyOf(group: Alike): HourTally {
  const { hour, currency, status, decline_code, step, payments, captured } = group;
  const authenticated = group.authenticated ? payments : 0;
  const latencies = new Array<number>(latencySteps.length + 1).fill(0);
  if (step !== null) latencies[step] = payments;
  return {
    hour,
    currency,
    payments,
    succeeded: approved.includes(status) ? payments : 0,
    failed: status === "failed" ? payments : 0,
    capturedMinor: captured,
    steps: {
      ...noSteps,
      inSession: group.in_session ? payments : 0,
      authenticated,
      authenticatedApproved: approved.includes(status) ? authenticated : 0,
      authenticatedFailed: status === "failed" ? authenticated : 0,
      captures: status === "succeeded" ? payments : 0,
    },
    declines: decline_code === null ? {} : { [decline_code]: payments },
    latencies,
    open: unfinished.includes(status) ? payments : 0,
  };
}

/** Returns the sum of the tallies. Mutates local accumulators, because there may be thousands of tallies. */
function sum(tallies: readonly HourTally[]): HourTally | null {
  const [first, ...rest] = tallies;
  if (!first) return null;
  let { payments, succeeded, failed, capturedMinor, open } = first;
  const declines: Record<string, number> = { ...first.declines };
  const latencies = [...first.latencies];
  const steps = { ...first.steps };
  for (const one of rest) {
    for (const step of stepNames) steps[step] += one.steps[step];
    payments += one.payments;
    succeeded += one.succeeded;
    failed += one.failed;
    capturedMinor += one.capturedMinor;
    open += one.open;
    for (const code in one.declines) {
      declines[code] = (declines[code] ?? 0) + (one.declines[code] ?? 0);
    }
    for (let step = 0; step < latencies.length; step++) {
      latencies[step] = (latencies[step] ?? 0) + (one.latencies[step] ?? 0);
    }
  }
  return { ...first, payments, succeeded, failed, capturedMinor, steps, declines, latencies, open };
}

const stepNames = Object.keys(noSteps) as (keyof Steps)[];

/** The payments of a range that were refunded or disputed later. */
export type Reversals = { readonly refunded: number; readonly disputed: number };

/** Returns the steps from checkout sessions to captures, refunds and disputes. */
export function funnelOf(
  tallies: readonly HourTally[],
  { refunded, disputed }: Reversals,
): PaymentMetrics["funnel"] {
  const all = sum(tallies);
  const steps = all?.steps ?? noSteps;
  return {
    sessions: steps.sessions,
    attempted_sessions: steps.attempted,
    payments: all?.payments ?? 0,
    session_payments: steps.inSession,
    authenticated: steps.authenticated,
    authenticated_approved: steps.authenticatedApproved,
    authenticated_failed: steps.authenticatedFailed,
    approved: all?.succeeded ?? 0,
    failed: all?.failed ?? 0,
    captured: steps.captures,
    refunded,
    disputed,
  };
}

/** The requested hours, `to` exclusive, and the points into which they are divided. */
export type HourRange = {
  readonly from: number;
  readonly to: number;
  /** The first hour of each point, the earliest first. The first point starts at `from`. */
  readonly starts: readonly number[];
};

/** Returns the tallies as a series without gaps, with totals. */
export function seriesOf(
  tallies: readonly HourTally[],
  { to, starts }: HourRange,
): Pick<PaymentMetrics, "total" | "declines" | "data"> {
  const byHour = Map.groupBy(tallies, ({ hour }) => hour);
  const data = starts.map((start, index): MetricsPoint => {
    const hours = hoursBetween(start, starts[index + 1] ?? to);
    return { start: start * 3_600, ...figuresOf(hours.flatMap((hour) => byHour.get(hour) ?? [])) };
  });
  const all = sum(tallies);
  const declines = Object.entries(all?.declines ?? {})
    .map(([decline_code, count]) => ({ decline_code, count }))
    .toSorted((one, other) => other.count - one.count);
  return { total: figuresOf(tallies, all), declines, data };
}

function hoursBetween(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

function figuresOf(tallies: readonly HourTally[], all = sum(tallies)): Omit<MetricsPoint, "start"> {
  const byCurrency = Map.groupBy(tallies, ({ currency }) => currency);
  const volume = [...byCurrency]
    .map(([currency, some]) => ({
      currency,
      amount: some.reduce((sum, { capturedMinor }) => sum + capturedMinor, 0),
    }))
    .filter(({ amount }) => amount > 0)
    .toSorted((one, other) => (one.currency < other.currency ? -1 : 1));
  const succeeded = all?.succeeded ?? 0;
  const failed = all?.failed ?? 0;
  return {
    payments: all?.payments ?? 0,
    succeeded,
    failed,
    success_rate: succeeded + failed === 0 ? null : succeeded / (succeeded + failed),
    volume,
    latency: all && latencyOf(all.latencies),
  };
}

/**
 * Returns the upper bounds of the buckets that hold the median and the 95th percentile. For the last bucket, which is
 * unbounded, returns its lower bound.
 */
function latencyOf(latencies: readonly number[]): MetricsPoint["latency"] {
  const total = latencies.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const within = (share: number): number => {
    let step = 0;
    for (let seen = latencies[0] ?? 0; seen < share * total; seen += latencies[step] ?? 0) step++;
    return latencySteps[Math.min(step, latencySteps.length - 1)] as number;
  };
  return { p50_ms: within(0.5), p95_ms: within(0.95) };
}
