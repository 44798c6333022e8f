import { isIPv4, isIPv6 } from "node:net";

/**
 * Returns one spelling for all spellings of an address: IPv6 as RFC 5952 has it, and the IPv4 address that an
 * IPv4-mapped IPv6 address carries (RFC 4291, section 2.5.5.2).
 */
export function plainAddress(ip: string): string {
  const [address = ""] = ip.toLowerCase().split("%", 1);
  if (!isIPv6(address)) return address;
  const canonical = URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1) ?? address;
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical);
  if (!mapped) return canonical;
  const [high, low] = [Number.parseInt(mapped[1] ?? "", 16), Number.parseInt(mapped[2] ?? "", 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** Returns the network that limits count by: an IPv4 address, or the /64 of an IPv6 address, which one household has. */
export function networkOf(ip: string): string {
  const plain = plainAddress(ip);
  if (isIPv4(plain) || !isIPv6(plain)) return plain;
  const [head = "", tail] = plain.split("::", 2);
  const groups = head === "" ? [] : head.split(":");
  const last = tail ? tail.split(":") : [];
  const missing = tail === undefined ? 0 : 8 - groups.length - last.length;
  const all = [...groups, ...Array<string>(missing).fill("0"), ...last];
  return `${all.slice(0, 4).join(":")}::/64`;
}
