import { lookup as resolve } from "node:dns";
import { isIP, type LookupFunction, type Socket } from "node:net";
import { buildConnector, Pool } from "undici";
import { isPublicAddress } from "./public-address.ts";

/** Connections that are kept open between deliveries, a pool for each origin. */
export type OriginPools = {
  poolFor(url: URL, mayBePrivate: boolean): Pool;
  close(): Promise<void>;
};

/** The host is, or stands for, an address that webhooks may not be sent to. */
export class AddressNotPublic extends Error {
  override name = "AddressNotPublic";
}

/** Establishing a connection takes no longer than this (trust: connect 3 s). */
const connectTimeoutMs = 3_000;

/** Pools of origins that nobody sent to lately are closed once there are more than this many. */
const mostPools = 1_000;

export function openOriginPools(): OriginPools {
  const pools = new Map<string, Pool>();

  function closeOldest(): void {
    const [key, pool] = pools.entries().next().value as [string, Pool];
    pools.delete(key);
    // Lets what is in flight finish.
    void pool.close();
  }

  return {
    poolFor(url, mayBePrivate) {
      const key = `${mayBePrivate ? "any" : "public"} ${url.origin}`;
      let pool = pools.get(key);
      if (pool && pools.size < mostPools) return pool;
      if (pool) pools.delete(key);
      pool ??= openPool(url.origin, mayBePrivate);
      // The map keeps the order of use, so the first is the one that was idle longest.
      pools.set(key, pool);
      if (pools.size > mostPools) closeOldest();
      return pool;
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
  };
}

function openPool(origin: string, mayBePrivate: boolean): Pool {
  const options = { timeout: connectTimeoutMs, allowH2: false };
  return new Pool(origin, {
    // How many may be open is bounded by what is in flight to one endpoint.
    connections: null,
    pipelining: 1,
    // The deadline over the whole attempt is the only clock; see post.ts.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: mayBePrivate
      ? buildConnector(options)
      : publicOnly(buildConnector({ ...options, lookup: lookupPublic } as typeof options)),
  });
}

/**
 * Judges the address that is connected to, not the name (contract §6): a name is resolved once and refused if any
 * of its addresses is not public; a literal, for which no lookup is called, is judged here; and so is the peer of
 * the socket that came of it.
 */
function publicOnly(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, "");
    if (isIP(host) !== 0 && !isPublicAddress(host)) {
      process.nextTick(() =>
        callback(new AddressNotPublic(`${host} is not a public address.`), null),
      );
      return;
    }
    connect(options, (...[error, socket]) => {
      if (error) return callback(error, null);
      const peer = (socket as Socket).remoteAddress;
      if (peer !== undefined && isPublicAddress(peer)) return callback(null, socket);
      socket.destroy();
      callback(
        new AddressNotPublic(`${host} led to ${peer}, which is not a public address.`),
        null,
      );
    });
  };
}

const lookupPublic: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, "");
    const refused = addresses.find(({ address }) => !isPublicAddress(address));
    const first = addresses[0];
    if (refused || !first) {
      const sentence = `${hostname} stands for ${refused?.address}, which is not a public address.`;
      return callback(new AddressNotPublic(sentence), "");
    }
    if (options.all) return callback(null, addresses);
    callback(null, first.address, first.family);
  });
};
