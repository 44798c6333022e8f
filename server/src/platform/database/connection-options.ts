import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import pg from "pg";
import { isLoopback } from "../../core/loopback.ts";
import { hostsOf, joinHosts } from "./database-url.ts";
import { StartupError } from "./startup-error.ts";

/**
 * URL parameters that configure TLS. They are removed from the URL, and the driver gets the resulting options instead.
 */
const tlsParameters = [
  "ssl",
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey",
  "sslnegotiation",
  "uselibpqcompat",
] as const;

/**
 * The time without traffic after which the operating system checks that the other side still exists. Many firewalls and
 * load balancers drop connections that were idle for four minutes or longer. A statement on a dropped connection would
 * wait for its timeout.
 */
const keepAliveAfterMs = 30_000;

/** The time limit for connecting if the URL has no `connect_timeout`. Includes the wait for a free connection. */
const connectTimeoutMs = 3_000;

/** The range of `connect_timeout`, in seconds. */
const maxConnectTimeout = 600;

/**
 * Returns the driver's options for a connection URL. Without `sslmode` a Postgres on another host must present a
 * certificate that is valid for its name, as with `sslmode=verify-full`. SCRAM protects only the password. TLS also
 * protects the rows.
 *
 * @throws StartupError when a certificate or key that the URL names cannot be read, or `connect_timeout` is invalid.
 */
export function connectionOptions(
  url: string,
): pg.ClientConfig & { readonly connectionTimeoutMillis: number } {
  const { bare, parameters } = splitTls(hostsOf(url)[0] as string);
  const ssl = tlsOptions(modeOf(parameters) ?? (isRemote(url) ? "verify-full" : null), parameters);
  const sslnegotiation = parameters.get("sslnegotiation");
  return {
    connectionString: bare,
    connectionTimeoutMillis: connectTimeoutOf(bare),
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
    ...(ssl !== null && { ssl }),
    ...(sslnegotiation === "direct" && { sslnegotiation }),
  };
}

/** Returns the time limit for connecting, in milliseconds. libpq defines the URL's `connect_timeout` in seconds. */
function connectTimeoutOf(url: string): number {
  const text = new URL(url).searchParams.get("connect_timeout");
  if (text === null) return connectTimeoutMs;
  const seconds = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : 0;
  if (seconds === 0 || seconds > maxConnectTimeout) {
    throw new StartupError(
      `DATABASE_URL or FLORIN_REPLICA_URL has connect_timeout=${text}. It must be a number of seconds from 1 to ${maxConnectTimeout}.`,
    );
  }
  return seconds * 1_000;
}

/**
 * Returns the URL, with verified TLS if it is remote. Returns null if its `sslmode` rules out verified TLS, such as
 * `disable`.
 */
export function requireVerifiedTls(url: string): string | null {
  const verified = hostsOf(url).map(requireVerifiedTlsOfHost);
  return verified.every((one) => one !== null) ? joinHosts(verified) : null;
}

function requireVerifiedTlsOfHost(url: string): string | null {
  const { parameters } = splitTls(url);
  if (!isRemote(url)) return url;
  const mode = modeOf(parameters);
  if (mode === null || mode === "verify-full") return url;
  // Database providers issue URLs with `sslmode=require`. The certificate is verified for these URLs too.
  if (!["prefer", "require", "verify-ca"].includes(mode)) return null;
  const verified = new URL(url);
  for (const name of ["ssl", "uselibpqcompat"]) verified.searchParams.delete(name);
  verified.searchParams.set("sslmode", "verify-full");
  return verified.href;
}

/** Returns the URL with `sslmode=disable` if it is remote and has no `sslmode`, and otherwise unchanged. */
export function allowUnverifiedTls(url: string): string {
  return joinHosts(hostsOf(url).map(allowUnverifiedTlsOfHost));
}

function allowUnverifiedTlsOfHost(url: string): string {
  if (!isRemote(url) || modeOf(splitTls(url).parameters) !== null) return url;
  const plain = new URL(url);
  plain.searchParams.set("sslmode", "disable");
  return plain.href;
}

/** Returns whether a connection to this URL leaves the machine. */
export function isRemote(url: string): boolean {
  return hostsOf(url).some((one) => {
    // The driver parses the URL, because the host may be a URL parameter, a socket directory, or PGHOST.
    const { host } = new pg.Client({ connectionString: splitTls(one).bare, ssl: false });
    return !host.startsWith("/") && !isLoopback(host);
  });
}

function splitTls(url: string): { bare: string; parameters: ReadonlyMap<string, string> } {
  const bare = new URL(url);
  const parameters = new Map<string, string>();
  for (const name of tlsParameters) {
    const value = bare.searchParams.get(name);
    if (value === null) continue;
    parameters.set(name, value);
    bare.searchParams.delete(name);
  }
  return { bare: parameters.size > 0 ? bare.href : url, parameters };
}

/** Returns the TLS mode of the URL, or null when it sets none. */
function modeOf(parameters: ReadonlyMap<string, string>): string | null {
  const mode = parameters.get("sslmode");
  if (mode) return mode;
  switch (parameters.get("ssl")) {
    case undefined:
      return parameters.has("sslrootcert") ? "verify-full" : null;
    case "0":
    case "false":
      return "disable";
    case "no-verify":
      return "no-verify";
    default:
      return "verify-full";
  }
}

/**
 * Returns the driver's TLS options for one of libpq's modes or the driver's `no-verify`. Null leaves the choice to the
 * driver.
 */
function tlsOptions(
  mode: string | null,
  parameters: ReadonlyMap<string, string>,
): ConnectionOptions | false | null {
  switch (mode) {
    case null:
      return null;
    case "disable":
    case "allow":
      return false;
    case "prefer":
    case "require":
    case "no-verify":
      return { ...files(parameters), rejectUnauthorized: false };
    case "verify-ca":
      return {
        ...files(parameters),
        rejectUnauthorized: true,
        checkServerIdentity: () => undefined,
      };
    default:
      // Set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED=0 changes the default.
      return { ...files(parameters), rejectUnauthorized: true };
  }
}

function files(parameters: ReadonlyMap<string, string>): ConnectionOptions {
  const read = (name: string): string | undefined => {
    const path = parameters.get(name);
    // `system` is libpq's name for the system's certificate authorities, which Node uses by default.
    if (!path || (name === "sslrootcert" && path === "system")) return undefined;
    try {
      return readFileSync(path, "utf8");
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new StartupError(
        `DATABASE_URL or FLORIN_REPLICA_URL has ${name}=${path}, but Florin cannot read the file (${code}). Correct the path, or give Florin's user permission to read the file.`,
      );
    }
  };
  const [ca, cert, key] = [read("sslrootcert"), read("sslcert"), read("sslkey")];
  return {
    minVersion: "TLSv1.2",
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
}
