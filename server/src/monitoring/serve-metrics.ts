import fastify, { type FastifyInstance } from "fastify";
import { type GaugesDeps, openGauges } from "./gauges.ts";

/**
 * `GET /metrics` in Prometheus' text format, on a listener of its own: it asks nobody who they are, and so it belongs where
 * only the operator's own machines reach it. It listens nowhere yet.
 */
export function serveMetrics(deps: GaugesDeps): FastifyInstance {
  const { registry } = deps;
  const look = openGauges(deps);
  const app = fastify({ forceCloseConnections: true });

  /** One look at a time, however many ask. */
  let looking: Promise<string> | null = null;
  const text = (): Promise<string> => {
    looking ??= look()
      .then(() => registry.metrics())
      .finally(() => {
        looking = null;
      });
    return looking;
  };

  app.get("/metrics", async (_request, reply) => {
    reply.header("content-type", registry.contentType);
    return text();
  });
  return app;
}
