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
  app.get("/metrics", async (_request, reply) => {
    await look();
    reply.header("content-type", registry.contentType);
    return registry.metrics();
  });
  return app;
}
