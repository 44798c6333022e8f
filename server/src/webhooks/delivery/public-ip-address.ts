import { BlockList, isIP, isIPv4 } from "node:net";

/**
 * Returns whether an IP address is public, so that a webhook may be sent to it. Without this check a merchant could
 * make the server call internal addresses (SSRF). Public addresses are IPv4 addresses outside the IANA special-purpose
 * registry, and IPv6 addresses in 2000::/3 outside its special blocks. An IPv6 address that contains an IPv4 address
 * (`::ffff:…`, `64:ff9b::…`, `2002:…`) is therefore rejected.
 */
export function isPublicAddress(address: string): boolean {
  // A zone (`fe80::1%eth0`) belongs to a link, never to the internet.
  if (isIP(address) === 0 || address.includes("%")) return false;
  if (isIPv4(address)) return !specialIPv4.check(address, "ipv4");
  return globalIPv6.check(address, "ipv6") && !specialIPv6.check(address, "ipv6");
}

const specialIPv4 = blocks("ipv4", [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // shared by carriers
  "127.0.0.0/8", // loopback
  "169.254.0.0/16", // link-local, with cloud metadata services
  "172.16.0.0/12", // private
  "192.0.0.0/24", // IETF protocols
  "192.0.2.0/24", // documentation
  "192.31.196.0/24", // AS112
  "192.52.193.0/24", // AMT
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private
  "192.175.48.0/24", // AS112
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, and broadcast
]);

const globalIPv6 = blocks("ipv6", ["2000::/3"]);
const specialIPv6 = blocks("ipv6", [
  "2001::/23", // IETF protocols, Teredo
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4
  "3fff::/20", // documentation
]);

function blocks(family: "ipv4" | "ipv6", subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network, prefix] = subnet.split("/") as [string, string];
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
