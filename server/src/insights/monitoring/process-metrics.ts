import {
  Counter,
  collectDefaultMetrics,
  Histogram,
  type OpenMetricsContentType,
  openMetricsContentType,
  Registry,
} from "prom-client";
import type { CountSpans } from "../../platform/tracing/tracing.ts";

/**
 * The metrics of one process, for Prometheus. No label names a merchant, customer or card, and every label has few
 * values.
 */
export type Meters = {
  readonly registry: MetricsRegistry;
  /** Counts a response. `route` is the registered path with its parameter names. */
  responded(request: CompletedRequest, seconds: number, traceId?: string): void;
  /** Counts a response of the acquirer by its result, or by `unknown` and the reason. */
  acquirerResponded(response: AcquirerResponse, seconds: number, traceId?: string): void;
  /** Counts a request that is subject to the rate limit of its connection, with the time that it waited. */
  waitedForRateLimit(result: string, seconds: number): void;
  /** Counts a charge transition. */
  finalized(charge: FinalizedCharge): void;
  /** Counts rows written by one group commit. */
  wroteBatch(kind: string, rows: number, seconds: number, traceId?: string): void;
  /** Counts a webhook attempt: `received`, or the failure code. */
  sentWebhook(outcome: string): void;
  /** Counts cards erased at the end of their retention period. */
  erasedCards(reason: string, cards: number): void;
  /**
   * Counts a rejected key or session. `limited` is true if the request was rejected with 429, because the IP address
   * range exceeded its limit.
   */
  failedAuthentication(failed: FailedAuthentication): void;
  /** Counts a request to Apple for a merchant session of Apple Pay. */
  appleSessionRequested(outcome: "created" | "failed"): void;
  /** Counts a log line at level warn or error. */
  logged(level: "warn" | "error"): void;
  /** Counts spans of traces by result. */
  readonly countSpans: CountSpans;
};

export type MetricsRegistry = Registry<OpenMetricsContentType>;

export type FailedAuthentication = {
  readonly credential: "api_key" | "session";
  readonly limited: boolean;
};

export type CompletedRequest = {
  readonly method: string;
  readonly route: string;
  readonly status: number;
};

export type AcquirerResponse = {
  readonly processor: string;
  readonly operation: string;
  readonly result: string;
};

export type FinalizedCharge = {
  readonly livemode: boolean;
  readonly status: string;
  /** The decline code. Empty if the charge was not declined. */
  readonly declineCode: string;
};

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];
/** The buckets end at 2 s: a request waits for its turn for at most 1.5 s, and is not sent after 2 s. */
const rateLimitWaitSeconds = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 1.5, 2];
const batchSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];
const batchRows = [1, 2, 4, 8, 16, 32, 64];

/**
 * Creates the metrics. With tracing, each bucket of the duration histograms has the trace of a request as its exemplar.
 */
export function createMetrics({ tracing = false }: { tracing?: boolean } = {}): Meters {
  // The library accepts exemplars in registries of this format only. `mergeMetrics` writes the format of each response.
  const registry: MetricsRegistry = new Registry();
  registry.setContentType(openMetricsContentType);
  // Memory, CPU, garbage collection and event loop delay.
  collectDefaultMetrics({ register: registry });
  for (const name of worstOfAllProcesses) aggregateWithMax(registry, name);
  const counter = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers: [registry] });
  const histogram = (name: string, help: string, labelNames: string[], buckets: number[]) =>
    new Histogram({ name, help, labelNames, buckets, registers: [registry] });
  const durations = (name: string, help: string, labelNames: string[], buckets: number[]) =>
    new Histogram({
      ...{ name, help, labelNames, buckets, registers: [registry] },
      enableExemplars: tracing,
    });
  const requests = counter("florin_http_requests_total", "HTTP responses.", [
    "method",
    "route",
    "status",
  ]);
  const requestSeconds = durations(
    "florin_http_request_duration_seconds",
    "Time from the first byte of a request to the last byte of its response.",
    ["method", "route"],
    seconds,
  );
  const acquirerResponses = counter(
    "florin_acquirer_responses_total",
    "Responses from the acquirer by kind of request. unknown_*: the outcome is unknown.",
    ["processor", "operation", "result"],
  );
  const acquirerSeconds = durations(
    "florin_acquirer_request_duration_seconds",
    "Duration of requests to the acquirer.",
    ["processor", "operation"],
    seconds,
  );
  const rateLimitSeconds = histogram(
    "florin_acquirer_rate_limit_wait_seconds",
    "Time that requests to the acquirer waited for the rate limit of their connection, by result. Only admitted requests were sent.",
    ["result"],
    rateLimitWaitSeconds,
  );
  const charges = counter(
    "florin_charge_transitions_total",
    "Transitions of charges by their new status. For processing charges, by their pending reason.",
    ["mode", "status", "decline_code"],
  );
  const rows = histogram(
    "florin_batch_rows",
    "Rows written by one group commit.",
    ["kind"],
    batchRows,
  );
  const rowSeconds = durations(
    "florin_batch_duration_seconds",
    "Duration of one group commit.",
    ["kind"],
    batchSeconds,
  );
  const webhooks = counter(
    "florin_webhook_attempts_total",
    "Attempts to deliver an event by outcome: received, or the failure code.",
    ["outcome"],
  );
  const erased = counter(
    "florin_cards_erased_total",
    "Card numbers erased at the end of their retention period, by reason.",
    ["reason"],
  );
  const failures = counter(
    "florin_failed_authentications_total",
    "API requests with a rejected key or session. limited=yes: rejected with status 429, because the IP address range exceeded its limit.",
    ["credential", "limited"],
  );
  const appleSessions = counter(
    "florin_apple_pay_sessions_total",
    "Requests to Apple for a merchant session of Apple Pay, by outcome. failed: the sheet did not open.",
    ["outcome"],
  );
  const lines = counter("florin_log_lines_total", "Log lines at the levels warn and error.", [
    "level",
  ]);

  const spans = counter(
    "florin_trace_spans_total",
    "Spans of traces. exported: the collector accepted them. failed: it did not. dropped: the queue was full.",
    ["result"],
  );

  function observe(
    durations: Histogram,
    labels: Record<string, string>,
    value: number,
    traceId: string | undefined,
  ): void {
    if (!tracing) durations.observe(labels, value);
    else if (traceId === undefined) durations.observe({ labels, value });
    else durations.observe({ labels, value, exemplarLabels: { trace_id: traceId } });
  }

  // Initializes the series with zero. Otherwise the first log line would create the series with the value one, and an
  // alert would see no increase.
  for (const level of ["warn", "error"]) lines.inc({ level }, 0);
  for (const result of ["exported", "failed", "dropped"]) spans.inc({ result }, 0);
  for (const outcome of ["created", "failed"]) appleSessions.inc({ outcome }, 0);
  rateLimitSeconds.zero({ result: "rate_limited" });
  for (const credential of ["api_key", "session"]) {
    for (const limited of ["no", "yes"]) failures.inc({ credential, limited }, 0);
  }

  return {
    registry,
    responded({ method, route, status }, seconds, traceId) {
      requests.inc({ method, route, status });
      observe(requestSeconds, { method, route }, seconds, traceId);
    },
    acquirerResponded({ processor, operation, result }, seconds, traceId) {
      acquirerResponses.inc({ processor, operation, result });
      observe(acquirerSeconds, { processor, operation }, seconds, traceId);
    },
    waitedForRateLimit: (result, waited) => rateLimitSeconds.observe({ result }, waited),
    finalized: ({ livemode, status, declineCode }) =>
      charges.inc({ mode: modeOf(livemode), status, decline_code: declineCode }),
    wroteBatch(kind, count, seconds, traceId) {
      rows.observe({ kind }, count);
      observe(rowSeconds, { kind }, seconds, traceId);
    },
    sentWebhook: (outcome) => webhooks.inc({ outcome }),
    erasedCards: (reason, cards) => erased.inc({ reason }, cards),
    failedAuthentication: ({ credential, limited }) =>
      failures.inc({ credential, limited: limited ? "yes" : "no" }),
    appleSessionRequested: (outcome) => appleSessions.inc({ outcome }),
    logged: (level) => lines.inc({ level }),
    countSpans: (result, count) => spans.inc({ result }, count),
  };
}

/**
 * The default metrics of which only the highest value among several processes is useful. The highest start time changes
 * whenever a process is restarted.
 */
const worstOfAllProcesses = [
  "process_start_time_seconds",
  "nodejs_eventloop_lag_seconds",
  "nodejs_eventloop_lag_mean_seconds",
  "nodejs_eventloop_lag_stddev_seconds",
  "nodejs_eventloop_lag_p50_seconds",
  "nodejs_eventloop_lag_p90_seconds",
  "nodejs_eventloop_lag_p99_seconds",
];

function aggregateWithMax(registry: MetricsRegistry, name: string): void {
  const metric = registry.getSingleMetric(name) as { aggregator?: string } | undefined;
  if (!metric) throw new Error(`metrics: ${name} does not exist`);
  metric.aggregator = "max";
}

/** Returns the mode as a readable label. */
export function modeOf(livemode: boolean): "live" | "test" {
  return livemode ? "live" : "test";
}
