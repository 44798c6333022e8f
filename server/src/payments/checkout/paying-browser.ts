import { hash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { clientAddress, networkOf, siteOf } from "../../core/network.ts";

/**
 * The browser that pays. It is identified by the IP address and headers of its request, not by values that a script on
 * the page reports.
 */
export type PayingBrowser = {
  /** The address without a port, because acquirers and the risk engine's lists expect an address. */
  readonly ip: string;
  /**
   * A hash of the browser's headers and its network prefix. It stays the same when the IP address changes within the
   * network.
   */
  readonly device: string;
};

/**
 * Returns the browser of a request. The device hash uses the /24 of an IPv4 address and the /48 of an IPv6 address,
 * because one subscriber can change addresses within them.
 */
export function browserOf({ headers, ip }: FastifyRequest): PayingBrowser {
  const network = siteOf(ip) ?? networkOf(ip).split(".").slice(0, 3).join(".");
  const traits = [headers["user-agent"], headers["accept-language"], network];
  return {
    ip: clientAddress(ip),
    device: hash("sha256", traits.join("|"), "base64url").slice(0, 22),
  };
}
