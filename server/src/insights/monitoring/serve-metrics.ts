import { isIP } from "node:net";
import fastify, { type FastifyInstance } from "fastify";
import { openMetricsContentType, prometheusContentType } from "prom-client";
import { isLoopback } from "../../core/loopback.ts";
import { type Metrics, mergeMetrics } from "./merged-metrics.ts";

type MetricsDeps = {
  /** The address or name on which the listener will listen. */
  readonly configuredHost: string;
  /** Refreshes the metrics and returns those of each process. */
  readonly read: () => Promise<readonly Metrics[]>;
};

/**
 * Creates the server of `GET /metrics` in the Prometheus text format, or in the OpenMetrics format for a client that
 * accepts it. Only OpenMetrics has exemplars, and Prometheus requests it by default. The server has no authentication,
 * so it has a separate listener, which only the operator's machines should reach. The caller starts listening.
 */
export function serveMetrics({ configuredHost, read }: MetricsDeps): FastifyInstance {
  const app = fastify({ forceCloseConnections: true });
  app.addHook("onRequest", async (request, reply) => {
    const { localAddress } = request.raw.socket;
    const { host: hostHeader } = request.headers;
    if (localAddress !== undefined && mayBeRebound(hostHeader, { localAddress, configuredHost })) {
      return reply
        .code(421)
        .send(
          "The Host header must be this machine's address, localhost, or the name in METRICS_HOST.\n",
        );
    }
  });
  app.get("/metrics", async ({ headers }, reply) => {
    const acceptsOpenMetrics = headers.accept?.includes("application/openmetrics-text");
    const format = acceptsOpenMetrics ? openMetricsContentType : prometheusContentType;
    const registry = mergeMetrics(await read(), format);
    reply.header("content-type", registry.contentType);
    return registry.metrics();
  });
  return app;
}

/**
 * Returns whether the request may come from a DNS rebinding attack, in which a page makes its own domain resolve to
 * this listener to read the response. The Host header then contains the attacker's domain. IP addresses involve no DNS,
 * and a single label, such as a container's name, is not a registered domain. Over loopback, only a loopback host or
 * the configured name is accepted.
 */
export function mayBeRebound(
  hostHeader: string | undefined,
  listener: { readonly localAddress: string; readonly configuredHost: string },
): boolean {
  const url = `http://${hostHeader}`;
  if (hostHeader === undefined || !URL.canParse(url)) return true;
  const { hostname } = new URL(url);
  if (isLoopback(hostname) || hostname === listener.configuredHost.toLowerCase()) return false;
  if (isLoopback(listener.localAddress)) return true;
  return isIP(hostname.replace(/^\[(.*)\]$/, "$1")) === 0 && hostname.includes(".");
}
