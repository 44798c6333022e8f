import { lookup } from "node:dns";
import { Resolver } from "node:dns/promises";
import { AttemptFailed } from "./attempt-failure.ts";

/** Returns the IP addresses of a host name, at least one. Throws `AttemptFailed` if it has none. */
export type ResolveName = (name: string) => Promise<string[]>;

/**
 * Resolves host names with DNS queries. The system resolver, which `net.connect` uses, runs on four threads that the
 * whole process shares. Four names whose DNS servers do not respond would delay every other merchant's webhooks.
 * `servers` are DNS servers as `address:port`. The default is the servers of the system.
 */
export function createResolver(servers?: readonly string[]): ResolveName {
  const resolver = new Resolver({ timeout: 700, tries: 2 });
  if (servers) resolver.setServers(servers);

  return async (name) => {
    const responses = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = responses.flatMap((response) =>
      response.status === "fulfilled" ? response.value : [],
    );
    if (addresses.length === 0) throw nameNotFound(name);
    return addresses;
  };
}

/**
 * Uses the system resolver, for names that only this machine or its network resolves, such as `localhost` and names in
 * `/etc/hosts`.
 */
export const resolveWithSystem: ResolveName = (name) =>
  new Promise((resolve, reject) => {
    lookup(name, { all: true }, (error, addresses) => {
      if (!error && addresses.length > 0) resolve(addresses.map(({ address }) => address));
      else reject(nameNotFound(name));
    });
  });

function nameNotFound(name: string): AttemptFailed {
  return new AttemptFailed({
    code: "name_not_found",
    message: `The host name ${name} has no address. Check the endpoint's URL and the DNS records of the host name.`,
  });
}
