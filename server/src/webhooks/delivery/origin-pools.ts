import { isIP, type LookupFunction, type Socket } from "node:net";
import { buildConnector, Pool } from "undici";
import { AttemptFailed } from "./attempt-failure.ts";
import { type ResolveName, resolveWithSystem } from "./dns-resolver.ts";
import { isLocalName } from "./endpoint-url.ts";
import type { AddressRules } from "./ip-address-rules.ts";

/** Connections that stay open between deliveries, in a pool for each origin. */
export type OriginPools = {
  poolFor(url: URL, rules: AddressRules): Pool;
  close(): Promise<void>;
};

/** The maximum time to establish a connection. */
const connectTimeoutMs = 3_000;

/** The least recently used pools are closed when there are more than this many. */
const maxPools = 1_000;

export function createOriginPools(resolve: ResolveName): OriginPools {
  const pools = new Map<string, Pool>();

  function closeOldest(): void {
    const [key, pool] = pools.entries().next().value as [string, Pool];
    pools.delete(key);
    // The pool closes after its requests in flight have ended.
    void pool.close();
  }

  return {
    poolFor(url, rules) {
      const key = `${rules.anyPrivate ? "private" : "public"} ${url.origin}`;
      let pool = pools.get(key);
      if (pool && pools.size < maxPools) return pool;
      if (pool) pools.delete(key);
      pool ??= createPool(url.origin, rules, resolve);
      // The map keeps the order of use, so the first entry is the least recently used.
      pools.set(key, pool);
      if (pools.size > maxPools) closeOldest();
      return pool;
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
  };
}

function createPool(origin: string, rules: AddressRules, resolve: ResolveName): Pool {
  const lookup = lookupAllowed(rules, resolve);
  const options = { timeout: connectTimeoutMs, allowH2: false, lookup };
  return new Pool(origin, {
    // The limit of requests in flight per endpoint also limits the connections.
    connections: null,
    pipelining: 1,
    // The deadline of the whole attempt is the only timeout. See http-post.ts.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: allowedOnly(buildConnector(options as buildConnector.BuildOptions), rules),
  });
}

/**
 * Checks the IP addresses of each connection, because the name alone is not sufficient. A name is resolved once and
 * rejected if any of its addresses is not allowed. A literal IP address, for which no lookup is called, is checked
 * here. The peer address of the connected socket is checked as well.
 */
function allowedOnly(
  connect: buildConnector.connector,
  rules: AddressRules,
): buildConnector.connector {
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, "");
    if (isIP(host) !== 0 && !rules.allows(host)) {
      process.nextTick(() => callback(rejected(`${host} is not a public address.`), null));
      return;
    }
    connect(options, (...[error, socket]) => {
      if (error) return callback(error, null);
      const peer = (socket as Socket).remoteAddress;
      if (peer !== undefined && rules.allows(peer)) {
        limitReceivedBytes(socket as Socket);
        return callback(null, socket);
      }
      socket.destroy();
      callback(rejected(`${host} resolved to ${peer}, which is not a public address.`), null);
    });
  };
}

function lookupAllowed(rules: AddressRules, resolve: ResolveName): LookupFunction {
  async function resolveName(name: string): Promise<string[]> {
    if (isLocalName(name.replace(/\.$/, ""))) {
      if (rules.anyPrivate) return resolveWithSystem(name);
      throw rejected(`${name} is not a public host name.`);
    }
    return resolve(name).catch((error) => {
      if (rules.anyPrivate) return resolveWithSystem(name);
      throw error;
    });
  }
  return (name, options, callback) => {
    resolveName(name).then(
      (addresses) => {
        const wrong = addresses.find((address) => !rules.allows(address));
        if (wrong) {
          const message = `${name} resolves to ${wrong}, which is not a public address.`;
          return callback(rejected(message), "");
        }
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        if (options.all) return callback(null, found);
        const [first] = found as [(typeof found)[number]];
        callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, ""),
    );
  };
}

function rejected(sentence: string): AttemptFailed {
  return new AttemptFailed({
    code: "address_not_allowed",
    message: `${sentence} Webhooks are sent only to public addresses and, in test mode, to the private ones that FLORIN_PRIVATE_WEBHOOKS allows.`,
  });
}

/** The maximum number of bytes received in `everyMs`. Even consecutive responses of the maximum size stay far below. */
const maxBytes = 4 * 1024 * 1024;
const everyMs = 100;

/**
 * Closes a connection that sends bytes without ever completing a response. An endless status line, chunk extension or
 * header would otherwise occupy the parser until the deadline and delay all other deliveries.
 */
function limitReceivedBytes(socket: Socket): void {
  let before = socket.bytesRead;
  const timer = setInterval(() => {
    const read = socket.bytesRead - before;
    before = socket.bytesRead;
    if (read <= maxBytes) return;
    const message =
      "The endpoint sent more than 4 MiB without completing a response. The connection was closed. Return an empty body.";
    socket.destroy(new AttemptFailed({ code: "body_too_large", message }));
  }, everyMs);
  timer.unref();
  socket.once("close", () => clearInterval(timer));
}
