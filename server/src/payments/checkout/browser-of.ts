import { hash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { networkOf, siteOf } from "../../core/network.ts";

/** The paying browser, from the headers and address of its request, which scripts cannot change. */
export type PayingBrowser = {
  readonly ip: string;
  /** A hash of the browser's headers and its network, equal for all addresses in the same network. */
  readonly device: string;
};

/** Returns the browser of a request. A provider gives one customer up to a /24 of IPv4 or a /48 of IPv6. */
export function browserOf({ headers, ip }: FastifyRequest): PayingBrowser {
  const network = siteOf(ip) ?? networkOf(ip).split(".").slice(0, 3).join(".");
  const traits = [headers["user-agent"], headers["accept-language"], network];
  return { ip, device: hash("sha256", traits.join("|"), "base64url").slice(0, 22) };
}
