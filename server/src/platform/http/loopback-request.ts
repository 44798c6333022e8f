import type { FastifyRequest } from "fastify";
import { isLoopback } from "../../core/loopback.ts";

/** Headers that proxies add. A request that carries one was sent by a client behind the peer. */
const forwardingHeader =
  /^(?:forwarded|via|x-forwarded(?:-.*)?|x-real-ip|x-client-ip|x-original-.*|x-envoy-.*|cf-.*|cdn-loop|true-client-ip|fastly-client-ip)$/;

/**
 * Returns whether a request was sent by a program on this machine, and to this machine by name. The peer is the
 * socket's own address: `request.ip` may be what a proxy claims. The Host header excludes DNS rebinding. HTTP/1.0 is
 * excluded because nginx proxies with it by default and sets Host to the upstream's name. No browser uses HTTP/1.0.
 * Fetch metadata excludes the pages of other sites.
 */
export function isFromThisMachine({ raw, headers }: FastifyRequest): boolean {
  const { remoteAddress } = raw.socket;
  if (remoteAddress === undefined || !isLoopback(remoteAddress)) return false;
  if (raw.httpVersion !== "1.1") return false;
  if (Object.keys(headers).some((name) => forwardingHeader.test(name))) return false;
  if (!ownPages.has(headers["sec-fetch-site"])) return false;
  const address = `http://${headers.host}`;
  return URL.canParse(address) && isLoopback(new URL(address).hostname);
}

/** One of our pages, a URL typed by the user, or a client that is not a browser. */
const ownPages: ReadonlySet<unknown> = new Set(["same-origin", "none", undefined]);
