import { AsyncLocalStorage } from "node:async_hooks";
import type { Span } from "@opentelemetry/api";

/** The span of the sampled request whose code is running. Empty for all other requests, and if tracing is off. */
export const activeSpan = new AsyncLocalStorage<Span>();

/** Returns the trace ID of the running request, or undefined if it is not sampled. */
export function activeTraceId(): string | undefined {
  return activeSpan.getStore()?.spanContext().traceId;
}

/** Returns the fields that connect a log line with the trace of the running request. */
export function traceFields(): { readonly trace_id?: string; readonly span_id?: string } {
  const span = activeSpan.getStore()?.spanContext();
  return span ? { trace_id: span.traceId, span_id: span.spanId } : {};
}

/**
 * Runs work that several requests share, such as a batch, without the span of the request that happens to start it.
 * Otherwise that span would stay active for the work of later requests.
 */
export function outsideOfSpan<Result>(work: () => Result): Result {
  return activeSpan.getStore() === undefined ? work() : activeSpan.exit(work);
}
