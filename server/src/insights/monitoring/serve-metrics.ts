import fastify, { type FastifyInstance, type FastifyRequest } from "fastify";
import { isLoopback } from "../../core/loopback.ts";
import { createGauges, type GaugesDeps } from "./database-gauges.ts";

/**
 * Serves `GET /metrics` in the Prometheus text format. It has no authentication, so it has a listener of its own that
 * only the operator's machines should reach. It does not listen yet.
 */
export function serveMetrics(deps: GaugesDeps): FastifyInstance {
  const { registry } = deps;
  const look = createGauges(deps);
  const app = fastify({ forceCloseConnections: true });
  app.addHook("onRequest", async (request, reply) => {
    if (!namesThisMachine(request)) {
      return reply
        .code(421)
        .send("Name this machine in the Host header, as localhost or 127.0.0.1.\n");
    }
  });
  app.get("/metrics", async (_request, reply) => {
    await look();
    reply.header("content-type", registry.contentType);
    return registry.metrics();
  });
  return app;
}

/**
 * Returns whether a request over loopback names a loopback host. A page in a browser on this machine can make its own
 * name resolve to 127.0.0.1 and read the response as its own (DNS rebinding). The name stays in the Host header.
 */
function namesThisMachine({ raw, headers }: FastifyRequest): boolean {
  const { localAddress } = raw.socket;
  if (localAddress === undefined || !isLoopback(localAddress)) return true;
  const address = `http://${headers.host}`;
  return URL.canParse(address) && isLoopback(new URL(address).hostname);
}
