import type { Span } from "@opentelemetry/api";
import type { DeliveryId, EventId, RequestId } from "../../core/ids.ts";

/**
 * Records sampled requests as OpenTelemetry traces. The trace ID of a request is the uuid of its request ID, and the
 * sampler decides by the trace ID. A process that delivers the webhook of a charge therefore finds the trace and the
 * decision by the request ID in the event, so nothing else is stored for tracing.
 */
export type Tracing = {
  /** Starts the span of a request. Returns null if the request is not sampled. */
  startRequest(request: TracedRequest): Span | null;
  endRequest(span: Span, status: number): void;
  /** Starts the span of an item of a batch. Returns null unless the running request is sampled. */
  startItem(kind: string): Span | null;
  endItem(span: Span, error?: unknown): void;
  /** Records a batch that was written, which contains the items of these spans. */
  recordBatch(batch: WrittenBatch, items: readonly [Span, ...Span[]]): void;
  /** Records a call of the running request to an acquirer. */
  recordAcquirerCall(call: AcquirerCall): void;
  /** Records an attempt to deliver an event, in the trace of the request that caused the event. */
  recordDelivery(attempt: TracedDelivery): void;
  /** Exports the spans that have ended, for a second at most. */
  close(): Promise<void>;
};

export type TracedRequest = {
  readonly id: RequestId;
  readonly method: string;
  /** The registered path with its parameter names. */
  readonly route: string;
  /** The header `traceparent`. */
  readonly traceparent: string | undefined;
};

export type WrittenBatch = {
  readonly kind: string;
  readonly rows: number;
  readonly durationMs: number;
};

export type AcquirerCall = {
  readonly processor: string;
  readonly operation: string;
  /** The kind of the response, with the reason if the outcome is unknown. */
  readonly result: string;
  readonly isUnknown: boolean;
  readonly durationMs: number;
};

export type TracedDelivery = {
  readonly request: RequestId;
  readonly event: EventId;
  readonly delivery: DeliveryId;
  readonly attempt: number;
  readonly durationMs: number;
  /** The status of the response. Null without a response. */
  readonly status: number | null;
  /** The code of the failure. Null after a 2xx response. */
  readonly failure: string | null;
};

/** Counts spans by result. `dropped`: the queue of spans was full. `failed`: the collector did not accept them. */
export type CountSpans = (result: "exported" | "failed" | "dropped", spans: number) => void;

/**
 * Every attribute that a span may have. Card data, keys, email addresses and texts of merchants and customers must not
 * leave the service in a trace, so a span gets no attribute that is not in this list.
 */
export type SpanAttributes = {
  readonly "http.request.method"?: string;
  readonly "http.route"?: string;
  readonly "http.response.status_code"?: number;
  readonly "error.type"?: string;
  readonly "db.system.name"?: "postgresql";
  readonly "db.operation.batch.size"?: number;
  readonly "florin.request_id"?: RequestId;
  readonly "florin.batch"?: string;
  readonly "florin.acquirer"?: string;
  readonly "florin.acquirer.operation"?: string;
  readonly "florin.acquirer.result"?: string;
  readonly "florin.event_id"?: EventId;
  readonly "florin.delivery_id"?: DeliveryId;
  readonly "florin.delivery.attempt"?: number;
};
