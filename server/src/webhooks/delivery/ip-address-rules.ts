import { BlockList, isIP } from "node:net";
import { isPublicAddress } from "./public-ip-address.ts";

/**
 * The addresses to which webhooks may be sent. In test mode they also include the networks that the operator's setting
 * lists in CIDR notation. Live mode allows public addresses only.
 */
export type AddressRules = {
  readonly allows: (address: string) => boolean;
  /** True if any private network is allowed, so that names without a dot are accepted. */
  readonly anyPrivate: boolean;
};

export const publicOnly: AddressRules = { allows: isPublicAddress, anyPrivate: false };

/** Loopback and the private networks. Link-local is excluded, because cloud providers serve credentials there. */
export const privateNetworks = [
  "127.0.0.0/8",
  "::1/128",
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "fc00::/7",
] as const;

/** Returns a function that returns the address rules of a mode. The operator allows `networks` in test mode. */
export function addressRules(
  networks: readonly string[],
): (mode: { readonly livemode: boolean }) => AddressRules {
  if (networks.length === 0) return () => publicOnly;
  const list = new BlockList();
  for (const network of networks) {
    const [address, prefix] = network.split("/") as [string, string];
    list.addSubnet(address, Number(prefix), familyOf(address));
  }
  const test: AddressRules = {
    allows: (address) => isPublicAddress(address) || isIn(list, address),
    anyPrivate: true,
  };
  return ({ livemode }) => (livemode ? publicOnly : test);
}

function isIn(list: BlockList, address: string): boolean {
  if (isIP(address) === 0 || address.includes("%")) return false;
  return list.check(address, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}
