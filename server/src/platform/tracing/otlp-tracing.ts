import {
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { ExportResultCode, parseTraceParent } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  type SpanExporter,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Clock } from "../../core/clock.ts";
import { type RequestId, uuidOf } from "../../core/ids.ts";
import { activeSpan } from "./active-span.ts";
import type { CountSpans, SpanAttributes, Tracing } from "./tracing.ts";

export type TracingOptions = {
  /** The base URL of a collector. The spans are sent to `/v1/traces` below it. */
  readonly url: string;
  /** The share of requests that are traced, from 0 to 1. */
  readonly ratio: number;
  readonly version: string;
  /** The system's clock. A merchant's test clock does not apply to traces. */
  readonly clock: Clock;
  readonly count: CountSpans;
  /** Called at most once a minute while spans cannot be exported. */
  readonly onFailure: (reason: string) => void;
};

/**
 * The maximum number of spans that wait for the collector. A span takes about 1 kB. Further spans are dropped, so that
 * a collector that does not respond costs no more memory.
 */
export const maxQueuedSpans = 2_048;

const maxBatchSpans = 512;

/** The time for which ended spans wait for others, so that one HTTP request to the collector exports them together. */
const exportEveryMs = 1_000;

/** The time limit of an export, including its retries. After it, the next batch is exported. */
const exportTimeoutMs = 5_000;

const closeTimeoutMs = 1_000;

/** The time between two calls of `onFailure`. */
const failureIntervalMs = 60_000;

/**
 * Starts the OpenTelemetry SDK. Only this file imports the SDK, and it is loaded only if tracing is on. The SDK is not
 * registered globally, so no library in the process adds spans or attributes.
 */
export function startTracing(options: TracingOptions): Tracing {
  const ids = createRequestIds();
  const byTraceId = new TraceIdRatioBasedSampler(options.ratio);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      "service.name": "florin",
      "service.version": options.version,
      "process.pid": process.pid,
    }),
    idGenerator: ids,
    // Every process decides by the trace ID, so all of them make the same decision for the spans of a request.
    sampler: new ParentBasedSampler({
      root: byTraceId,
      remoteParentSampled: byTraceId,
      remoteParentNotSampled: byTraceId,
    }),
    spanProcessors: [createBoundedProcessor(options)],
  });
  const tracer = provider.getTracer("florin");

  /** Records a span that ends now. */
  function record(name: string, parent: SpanContext, ended: EndedSpan): Span {
    const { kind, attributes, durationMs, error } = ended;
    const endedAt = options.clock.now().getTime();
    const span = tracer.startSpan(
      name,
      { kind, attributes, startTime: endedAt - durationMs },
      trace.setSpanContext(ROOT_CONTEXT, parent),
    );
    if (error !== null) fail(span, error);
    span.end(endedAt);
    return span;
  }

  return {
    startRequest({ id, method, route, traceparent }) {
      const attributes: SpanAttributes = {
        "http.request.method": method,
        "http.route": route,
        "florin.request_id": id,
      };
      const span = ids.startAs(id, () =>
        tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, ROOT_CONTEXT),
      );
      if (!span.isRecording()) return null;
      // The trace of the client is only linked. As the parent, it would let any client decide what is sampled.
      const client = traceparent === undefined ? null : parseTraceParent(traceparent);
      if (client) span.addLink({ context: client });
      return span;
    },
    endRequest(span, status) {
      span.setAttributes({ "http.response.status_code": status } satisfies SpanAttributes);
      if (status >= 500) fail(span, String(status));
      span.end();
    },
    startItem(kind) {
      const request = activeSpan.getStore();
      if (!request) return null;
      const attributes: SpanAttributes = { "florin.batch": kind };
      return tracer.startSpan(kind, { attributes }, trace.setSpan(ROOT_CONTEXT, request));
    },
    endItem(span, error) {
      if (error !== undefined) fail(span, error instanceof Error ? error.name : "unknown");
      span.end();
    },
    recordBatch({ kind, rows, durationMs }, [first, ...others]) {
      const attributes: SpanAttributes = {
        "db.system.name": "postgresql",
        "db.operation.batch.size": rows,
        "florin.batch": kind,
      };
      const ended = { kind: SpanKind.CLIENT, attributes, durationMs, error: null };
      const batch = record(`batch: ${kind}`, first.spanContext(), ended).spanContext();
      // A span has one parent, so the other requests of the batch link to it.
      for (const other of others) other.addLink({ context: batch });
    },
    recordAcquirerCall({ processor, operation, result, isUnknown, durationMs }) {
      const request = activeSpan.getStore();
      if (!request) return;
      const attributes: SpanAttributes = {
        "florin.acquirer": processor,
        "florin.acquirer.operation": operation,
        "florin.acquirer.result": result,
      };
      const error = isUnknown ? result : null;
      const ended = { kind: SpanKind.CLIENT, attributes, durationMs, error };
      record(`acquirer: ${operation}`, request.spanContext(), ended);
    },
    recordDelivery({ request, event, delivery, attempt, durationMs, status, failure }) {
      const attributes: SpanAttributes = {
        "florin.request_id": request,
        "florin.event_id": event,
        "florin.delivery_id": delivery,
        "florin.delivery.attempt": attempt,
        ...(status !== null && { "http.response.status_code": status }),
      };
      const ended = { kind: SpanKind.CLIENT, attributes, durationMs, error: failure };
      record("deliver webhook", contextOf(request), ended);
    },
    async close() {
      const timeout = Promise.withResolvers<void>();
      const timer = setTimeout(timeout.resolve, closeTimeoutMs);
      await Promise.race([provider.shutdown().catch(() => undefined), timeout.promise]);
      clearTimeout(timer);
    },
  };
}

type EndedSpan = {
  readonly kind: SpanKind;
  readonly attributes: SpanAttributes;
  readonly durationMs: number;
  readonly error: string | null;
};

function fail(span: Span, type: string): void {
  span.setAttributes({ "error.type": type } satisfies SpanAttributes);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/**
 * Returns the context of a request's span. Every process computes the same context from the request ID: the trace ID is
 * the request's uuid, and the span ID is its second half, which contains 62 random bits and is never zero.
 */
function contextOf(request: RequestId): SpanContext {
  const traceId = uuidOf(request).replaceAll("-", "");
  const spanId = traceId.slice(16);
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
}

/** Creates random IDs, except for the spans of requests. */
function createRequestIds() {
  const random = new RandomIdGenerator();
  let request: SpanContext | null = null;
  return {
    generateTraceId: () => request?.traceId ?? random.generateTraceId(),
    generateSpanId: () => request?.spanId ?? random.generateSpanId(),
    /** Returns the span that `start` starts, with the IDs of this request. */
    startAs(id: RequestId, start: () => Span): Span {
      request = contextOf(id);
      try {
        return start();
      } finally {
        request = null;
      }
    },
  };
}

/**
 * Creates a processor that exports ended spans in batches and counts them by result. The SDK's own limit counts
 * dropped spans only in its metrics, which are experimental.
 */
function createBoundedProcessor({ url, count, onFailure }: TracingOptions): SpanProcessor {
  const exporter = new OTLPTraceExporter({
    url: `${url.replace(/\/$/, "")}/v1/traces`,
    timeoutMillis: exportTimeoutMs,
    // Normally, the SDK exports one batch after another. When it stops, it exports all batches of a full queue at the
    // same time. The limit must allow for these batches.
    concurrencyLimit: 1 + maxQueuedSpans / maxBatchSpans,
  });
  let queued = 0;
  let reportAfter = 0;

  function report(reason: string): void {
    const now = performance.now();
    if (now < reportAfter) return;
    reportAfter = now + failureIntervalMs;
    onFailure(reason);
  }

  const counting: SpanExporter = {
    export(spans, done) {
      queued -= spans.length;
      exporter.export(spans, (result) => {
        const succeeded = result.code === ExportResultCode.SUCCESS;
        count(succeeded ? "exported" : "failed", spans.length);
        if (!succeeded) report(result.error?.message || "no response");
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush(),
  };
  const batches = new BatchSpanProcessor({
    exporter: counting,
    maxQueueSize: maxQueuedSpans,
    maxExportBatchSize: maxBatchSpans,
    scheduledDelayMillis: exportEveryMs,
    exportTimeoutMillis: exportTimeoutMs + 1_000,
  });
  return {
    onStart() {},
    onEnd(span) {
      if (queued >= maxQueuedSpans) return count("dropped", 1);
      queued += 1;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}
