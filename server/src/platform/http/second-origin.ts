import type { FastifyReply, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyContextConfig {
    /** True for the routes of the second origin, which are served there only. */
    readonly secondOrigin?: true;
  }
}

/**
 * The origin on which a script of another company runs (docs/decisions/0088). Its host name leads to the same server,
 * so this rule separates the two origins: on this host, only the routes of the second origin are served, and on all
 * other hosts, none of them are.
 */
export type SecondOrigin = {
  /**
   * Returns null if the request may be served. Otherwise returns `rejected` after sending the response to a request for
   * the second origin, or `unknown_endpoint` if the caller must send the response.
   */
  reject(request: FastifyRequest, reply: FastifyReply): "rejected" | "unknown_endpoint" | null;
  /**
   * Handles a request that the router has rejected before it found a route. If the request is for the second origin,
   * sends the response and returns true. Otherwise, returns false.
   */
  rejectUnroutable(request: FastifyRequest, reply: FastifyReply): boolean;
};

/** The Content-Security-Policy of responses that are not pages: a browser loads no content, and the origin is opaque. */
export const inertPolicy = "default-src 'none'; sandbox";

export function createSecondOrigin(url: () => string): SecondOrigin {
  const isSecond = createHostComparison(url);

  return {
    reject(request, reply) {
      const isRoute = request.routeOptions.config?.secondOrigin === true;
      // Behind a trusted proxy, `request.host` is the forwarded host. The Host header is compared too, because some
      // proxies pass on a forwarded host that the client has sent.
      const isForwarded = isSecond(request.host);
      if (isForwarded && isRoute) return null;
      if (isForwarded || isSecond(request.headers.host ?? "")) {
        sendPlainNotFound(reply);
        return "rejected";
      }
      return isRoute ? "unknown_endpoint" : null;
    },

    rejectUnroutable({ host, headers }, reply) {
      // For a router error, the framework creates a request without the setting for trusted proxies, so the forwarded
      // host is read here. It is accepted from every client, because its only effect is a 404.
      const forwarded = [headers["x-forwarded-host"] ?? []].flat().join(",").split(",");
      if (![host, ...forwarded].some((one) => isSecond(one.trim()))) return false;
      sendPlainNotFound(reply);
      return true;
    },
  };
}

/**
 * Returns a function that compares a Host header with the second origin. Only the names are compared, because a proxy
 * may forward another port, and the second origin has a host name of its own. The function caches the last host
 * that differed.
 */
function createHostComparison(url: () => string): (host: string) => boolean {
  let lastOther: string | null = null;
  return (host) => {
    if (host === lastOther) return false;
    const isSame = hostNameOf(`http://${host}`) === hostNameOf(url());
    if (!isSame) lastOther = host;
    return isSame;
  };
}

/**
 * Returns the host name of a URL without the dot at its end, which does not change the host. Returns null if the text
 * is not a URL.
 */
function hostNameOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, "") : null;
}

/**
 * Sends a 404 that reveals nothing about the service. The policy in its headers has no effect on plain text. It
 * protects against a faulty proxy that puts other content into the response.
 */
export function sendPlainNotFound(reply: FastifyReply): FastifyReply {
  return reply
    .code(404)
    .headers({
      "content-security-policy": inertPolicy,
      "content-type": "text/plain; charset=utf-8",
      "x-content-type-options": "nosniff",
    })
    .send("Not found\n");
}
