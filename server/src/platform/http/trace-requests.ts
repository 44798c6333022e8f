import type { Span } from "@opentelemetry/api";
import type { FastifyInstance } from "fastify";
import type { RequestId } from "../../core/ids.ts";
import { activeSpan, outsideOfSpan } from "../tracing/active-span.ts";
import type { Tracing } from "../tracing/tracing.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The span of a sampled request. Null or undefined otherwise. */
    span?: Span | null;
  }
}

/** Traces every request that has a route, including those of routes that are registered later. */
export function traceRequests(http: FastifyInstance, tracing: Tracing): void {
  http.decorateRequest("span", null);
  http.addHook("onRequest", (request, _reply, done) => {
    const { method, headers, routeOptions } = request;
    const { traceparent } = headers;
    request.span = tracing.startRequest({
      id: request.id as RequestId,
      method,
      route: routeOptions.url ?? "none",
      traceparent: typeof traceparent === "string" ? traceparent : undefined,
    });
    // The requests of one turn of the event loop are continued together (`atEndOfTurn`), in the context of the first.
    if (request.span) activeSpan.run(request.span, done);
    else outsideOfSpan(done);
  });
  http.addHook("onResponse", (request, reply, done) => {
    if (request.span) tracing.endRequest(request.span, reply.statusCode);
    done();
  });
}
