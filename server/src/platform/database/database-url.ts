/** Matches a URL of one or more hosts, as libpq defines it. */
const hostList = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/i;

/**
 * Returns a URL for each host of a connection URL such as `postgres://florin@db1:5432,db2:5432/florin`. Removes
 * `target_session_attrs`, which the driver does not know. Florin itself checks whether a host is the primary or a standby.
 */
export function hostsOf(url: string): readonly string[] {
  const [, start = "", hosts = "", end = ""] = hostList.exec(url) ?? [];
  if (!hosts.includes(",") && !end.includes("target_session_attrs")) return [url];
  return hosts.split(",").map((host) => {
    const one = new URL(`${start}${host}${end}`);
    one.searchParams.delete("target_session_attrs");
    return one.href;
  });
}

/** Returns one URL that lists the hosts of all these URLs. The rest of the URL is taken from the first one. */
export function joinHosts(urls: readonly string[]): string {
  const [, start, , end] = hostList.exec(urls[0] as string) ?? [];
  const hosts = urls.map((url) => hostList.exec(url)?.[2]);
  return `${start}${hosts.join(",")}${end}`;
}

/** Returns the value of `target_session_attrs`, or null when the URL does not have it. */
export function targetSession(url: string): string | null {
  return new URLSearchParams(url.split("?")[1]).get("target_session_attrs");
}
