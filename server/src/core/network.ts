import { isIP, isIPv4, isIPv6 } from "node:net";

/**
 * Returns the canonical spelling of an address: IPv6 in the form of RFC 5952, and an IPv4-mapped IPv6 address as its
 * IPv4 address (RFC 4291, section 2.5.5.2). Removes a port, because some proxies forward it with the address.
 */
export function plainAddress(ip: string): string {
  const [address = ""] = withoutPort(ip).toLowerCase().split("%", 1);
  if (!isIPv6(address)) return address;
  const canonical = URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1) ?? address;
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical);
  if (!mapped) return canonical;
  const [high, low] = [Number.parseInt(mapped[1] ?? "", 16), Number.parseInt(mapped[2] ?? "", 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/**
 * The address and the network of all values that are not IP addresses. A proxy may forward such a value instead of the
 * client's address.
 */
const unknown = "unknown";

/** Returns an IP address in its canonical spelling, or null for text that is not an IP address. */
export function knownAddress(ip: string): string | null {
  if (isIPv4(ip)) return ip;
  const plain = plainAddress(ip);
  return isIP(plain) === 0 ? null : plain;
}

/**
 * Returns the client's address for records, or `unknown` if a proxy forwarded text that is not an address. A client may
 * have chosen this text, which can contain a card number. Audit entries are never deleted.
 */
export function clientAddress(ip: string): string {
  return knownAddress(ip) ?? unknown;
}

/**
 * Returns the network that rate limits count by: an IPv4 address, or the /64 prefix of an IPv6 address, because one
 * household has a whole /64. All strings that are not addresses map to the same network, so that forged headers cannot
 * evade the limits or fill the limiter's memory.
 */
export function networkOf(ip: string): string {
  const plain = plainAddress(ip);
  if (isIPv4(plain)) return plain;
  return isIPv6(plain) ? `${groupsOf(plain).slice(0, 4).join(":")}::/64` : unknown;
}

/**
 * Returns the /48 prefix of an IPv6 address, or null for IPv4. A /48 is the largest network that is usually assigned to
 * one site. Rate limits also count by site, because the subscriber of a /48 can rotate through 65,536 /64 networks.
 */
export function siteOf(ip: string): string | null {
  const plain = plainAddress(ip);
  return isIPv6(plain) ? `${groupsOf(plain).slice(0, 3).join(":")}::/48` : null;
}

function withoutPort(ip: string): string {
  return (
    /^\[([^\]]{1,45})\](?::\d{1,5})?$/.exec(ip)?.[1] ??
    /^([\d.]{7,15}):\d{1,5}$/.exec(ip)?.[1] ??
    ip
  );
}

/** Returns the eight groups of an address in the spelling of RFC 5952. */
function groupsOf(plain: string): string[] {
  const [head = "", tail] = plain.split("::", 2);
  const groups = head === "" ? [] : head.split(":");
  const last = tail ? tail.split(":") : [];
  const missing = tail === undefined ? 0 : 8 - groups.length - last.length;
  return [...groups, ...Array<string>(missing).fill("0"), ...last];
}
