import type { FastifyReply, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyContextConfig {
    /** True for the routes of the second origin, which are served there only. */
    readonly secondOrigin?: true;
  }
}

/**
 * The origin on which a script of another company runs (docs/decisions/0088). Its host reaches the same server, so this
 * rule keeps the two apart: the host serves only the routes of the second origin, and no other host serves them.
 */
export type SecondOrigin = {
  /**
   * Returns whether the request must not be served. For a request to the second origin, this function has then sent the
   * response.
   */
  reject(request: FastifyRequest, reply: FastifyReply): "rejected" | "unknown_endpoint" | null;
};

export function createSecondOrigin(url: () => string): SecondOrigin {
  const isSecond = createHostComparison(url);

  return {
    reject(request, reply) {
      const isRoute = request.routeOptions.config?.secondOrigin === true;
      // Behind a trusted proxy, `request.host` is the forwarded host. The host of the request itself counts too, because
      // some proxies forward a header that the client has sent.
      const isForwarded = isSecond(request.host);
      if (isForwarded && isRoute) return null;
      if (isForwarded || isSecond(request.headers.host ?? "")) {
        sendEmptyNotFound(reply);
        return "rejected";
      }
      return isRoute ? "unknown_endpoint" : null;
    },
  };
}

/** Returns a function that compares a Host header with the second origin. It keeps the last host that differed. */
function createHostComparison(url: () => string): (host: string) => boolean {
  let lastOther: string | null = null;
  return (host) => {
    if (host === lastOther) return false;
    const { protocol, hostname, port } = new URL(url());
    const requested = `${protocol}//${host}`;
    const parsed = URL.canParse(requested) ? new URL(requested) : null;
    // A dot at the end of a name is the same host.
    const isSame = parsed?.hostname.replace(/\.$/, "") === hostname && parsed.port === port;
    if (!isSame) lastOther = host;
    return isSame;
  };
}

/**
 * Sends a 404 without content. The policy has no effect on it, but a browser would apply it to any content that a fault
 * of a proxy puts there.
 */
export function sendEmptyNotFound(reply: FastifyReply): FastifyReply {
  return reply
    .code(404)
    .headers({
      "content-security-policy": "default-src 'none'; sandbox",
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    })
    .send("Not found\n");
}
