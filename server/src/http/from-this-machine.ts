import type { FastifyRequest } from "fastify";
import { isLoopback } from "../primitives/loopback.ts";

/** Headers that proxies add. A request that carries one was sent by a client behind the peer. */
const forwardingHeaders = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
  "cf-connecting-ip",
  "true-client-ip",
] as const;

/**
 * Returns whether a request was sent by a program on this machine, and to this machine by name. The peer is the
 * socket's own address: `request.ip` may be what a proxy claims. The Host header excludes DNS rebinding, and proxies
 * that add no header of their own.
 */
export function isFromThisMachine({ raw, headers }: FastifyRequest): boolean {
  const { remoteAddress } = raw.socket;
  if (remoteAddress === undefined || !isLoopback(remoteAddress)) return false;
  if (forwardingHeaders.some((name) => headers[name] !== undefined)) return false;
  const address = `http://${headers.host}`;
  return URL.canParse(address) && isLoopback(new URL(address).hostname);
}
