import fastify, { type FastifyInstance } from "fastify";
import { type GaugesDeps, openGauges } from "./gauges.ts";

/**
 * Serves `GET /metrics` in the Prometheus text format. It has no authentication, so it has a listener of its own that
 * only the operator's machines should reach. It does not listen yet.
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
