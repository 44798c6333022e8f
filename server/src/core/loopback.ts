import { isIP } from "node:net";

/** Returns whether a host name or address is a loopback address. IPv6 addresses may be in brackets. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, "$1");
  switch (isIP(name)) {
    case 4:
      return name.startsWith("127.");
    case 6:
      return name === "::1" || name.startsWith("::ffff:127.");
    default:
      // RFC 6761 §6.3 reserves these names for loopback.
      return name === "localhost" || name.endsWith(".localhost");
  }
}
