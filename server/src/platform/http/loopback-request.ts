import type { FastifyRequest } from "fastify";
import { isLoopback } from "../../core/loopback.ts";

/** Matches headers that proxies add. A request with such a header comes from a client of the proxy. */
const forwardingHeader =
  /^(?:forwarded|via|x-forwarded(?:-.*)?|x-real-ip|x-client-ip|x-original-.*|x-envoy-.*|cf-.*|cdn-loop|true-client-ip|fastly-client-ip)$/;

/**
 * Returns whether a request was sent by a program on this machine to a loopback host name. The function checks the
 * address of the socket instead of `request.ip`, because a proxy can set `request.ip`. The check of the Host header
 * excludes DNS rebinding. HTTP/1.0 is excluded, because nginx proxies with it by default and sets Host to the name of
 * the upstream. No browser uses HTTP/1.0. The check of the fetch metadata excludes pages of other sites.
 */
export function isFromThisMachine({ raw, headers }: FastifyRequest): boolean {
  const { remoteAddress } = raw.socket;
  if (remoteAddress === undefined || !isLoopback(remoteAddress)) return false;
  if (raw.httpVersion !== "1.1") return false;
  if (Object.keys(headers).some((name) => forwardingHeader.test(name))) return false;
  if (!allowedSites.has(headers["sec-fetch-site"])) return false;
  const address = `http://${headers.host}`;
  return URL.canParse(address) && isLoopback(new URL(address).hostname);
}

/**
 * The values of `Sec-Fetch-Site` for a page of this service, for a URL that the user entered, and for a client that
 * does not send the header.
 */
const allowedSites: ReadonlySet<unknown> = new Set(["same-origin", "none", undefined]);
