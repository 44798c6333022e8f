import type { FastifyRequest } from "fastify";
import { isLoopback } from "../../core/loopback.ts";

/** Headers that proxies add. A request that carries one was sent by a client behind the peer. */
const forwardingHeader =
  /^(?:forwarded|via|x-forwarded(?:-.*)?|x-real-ip|x-client-ip|x-original-.*|x-envoy-.*|cf-.*|cdn-loop|true-client-ip|fastly-client-ip)$/;

/**
 * Returns whether a request was sent by a program on this machine, and to this machine by name. The peer is the
 * socket's own address: `request.ip` may be what a proxy claims. The Host header excludes DNS rebinding. No browser
 * speaks HTTP/1.0, which nginx does as it is installed, with the name of the server behind it as the Host. Fetch
 * metadata excludes the pages of other sites.
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
