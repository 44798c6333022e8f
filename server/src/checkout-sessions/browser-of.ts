import { hash } from "node:crypto";
import { isIPv4 } from "node:net";
import type { FastifyRequest } from "fastify";

/** What is known of the browser that pays, from its request alone, where no script can lie. */
export type PayingBrowser = {
  readonly ip: string;
  /** A hash of what it says of itself and of the network it is in, so that changing the address alone is not enough. */
  readonly device: string;
};

export function browserOf({ headers, ip }: FastifyRequest): PayingBrowser {
  const said = [headers["user-agent"], headers["accept-language"], networkOf(ip)];
  return { ip, device: hash("sha256", said.join("|"), "base64url").slice(0, 22) };
}

/** A provider's customer has a handful of addresses in one IPv4 network (/24), and a whole /48 of IPv6. */
function networkOf(ip: string): string {
  const plain = ip.startsWith("::ffff:") ? ip.slice("::ffff:".length) : ip;
  if (isIPv4(plain)) return plain.split(".").slice(0, 3).join(".");
  // Zeros left out by "::" stand in the first 48 bits only where fewer than three groups come before it.
  const [before = ""] = plain.split("::");
  const groups = before === "" ? [] : before.split(":");
  return [...groups, "0", "0", "0"].slice(0, 3).join(":");
}
