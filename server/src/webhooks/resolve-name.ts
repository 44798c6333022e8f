import { lookup } from "node:dns";
import { Resolver } from "node:dns/promises";
import { AttemptFailed } from "./attempt-failure.ts";

/** The addresses a name stands for; never none. Throws `AttemptFailed` where it stands for nothing. */
export type ResolveName = (name: string) => Promise<string[]>;

/**
 * Asks the name servers itself. The system's own lookup, which `net.connect` uses, runs on four threads that the whole
 * process shares: four names whose servers are silent would delay every other merchant's webhooks.
 *
 * `servers`: name servers as `address:port`; without them those of the system.
 */
export function openResolver(servers?: readonly string[]): ResolveName {
  const resolver = new Resolver({ timeout: 700, tries: 2 });
  if (servers) resolver.setServers(servers);

  return async (name) => {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = answers.flatMap((answer) =>
      answer.status === "fulfilled" ? answer.value : [],
    );
    if (addresses.length === 0) throw nameNotFound(name);
    return addresses;
  };
}

/** The system's lookup, for names that only this machine or its network knows: `localhost`, `/etc/hosts`. */
export const lookUpLocally: ResolveName = (name) =>
  new Promise((resolve, reject) => {
    lookup(name, { all: true }, (error, addresses) => {
      if (!error && addresses.length > 0) resolve(addresses.map(({ address }) => address));
      else reject(nameNotFound(name));
    });
  });

function nameNotFound(name: string): AttemptFailed {
  return new AttemptFailed({
    code: "name_not_found",
    message: `The name ${name} has no address. Check the endpoint's url, and the name's DNS records.`,
  });
}
