import { hash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { networkOf, siteOf } from "../primitives/network.ts";

/** The browser that pays, as its request shows it. Scripts cannot change these headers. */
export type PayingBrowser = {
  readonly ip: string;
  /** A hash of the browser's headers and its network, so that another address in the same network gives the same value. */
  readonly device: string;
};

/** Returns the browser of a request. A provider gives one customer up to a /24 of IPv4 or a /48 of IPv6. */
export function browserOf({ headers, ip }: FastifyRequest): PayingBrowser {
  const network = siteOf(ip) ?? networkOf(ip).split(".").slice(0, 3).join(".");
  const traits = [headers["user-agent"], headers["accept-language"], network];
  return { ip, device: hash("sha256", traits.join("|"), "base64url").slice(0, 22) };
}
