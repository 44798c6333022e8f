import { WeakAuthentication } from "./database-client.ts";
import { hostsOf } from "./database-url.ts";
import { isUnavailable } from "./unavailable.ts";

/**
 * Thrown when a command cannot continue for a reason that an operator can fix. The message is shown without a stack
 * trace.
 */
export class StartupError extends Error {
  override name = "StartupError";
}

/**
 * Returns a StartupError if a file could not be read or written, or if Postgres could not write, for a reason that an
 * operator can fix. Otherwise returns the error itself. If access is denied, the usual cause is that the command does
 * not run as the service's user. `directory` is named if the error contains no path. The error of a write contains
 * none.
 */
export function explainFileError(error: unknown, directory?: string): unknown {
  if (!(error instanceof Error)) return error;
  const { code, path } = error as NodeJS.ErrnoException;
  const startupError = (sentence: string) => new StartupError(sentence, { cause: error });
  const file = path ?? (directory === undefined ? "a file" : `a file, probably in ${directory}`);
  switch (code) {
    case "EACCES":
    case "EPERM":
      if (path === undefined) return error;
      return startupError(
        `The user that runs this command cannot access ${path} (${code}). Run the command as the service's user (docs/operating/production.md#commands).`,
      );
    case "ENOTDIR":
      if (path === undefined) return error;
      return startupError(
        `Florin cannot use ${path}, because one of its parent directories is a file (${code}). Correct the setting or the argument that contains this path.`,
      );
    case "EROFS":
      return startupError(
        `Florin cannot write ${file}, because its file system is read-only (${code}). Make it writable, or use another directory.`,
      );
    case "ENOSPC":
    case "EDQUOT":
      return startupError(
        `Florin cannot write ${file}, because its disk is full (${code}). Free some space (df -h, df -i) and run the command again. No committed data is lost.`,
      );
    case "53100":
      return startupError(
        `Postgres cannot write, because its disk is full (${error.message}). Free some space (df -h, df -i) and run the command again. No committed data is lost.`,
      );
    case "EIO":
      // An error without a path may not concern a file: reading from or writing to a terminal can fail with the same
      // code.
      if (path === undefined) return error;
      return startupError(
        `Florin cannot read or write ${file}, because its disk failed (${code}). Check the disk (dmesg).`,
      );
    default:
      return error;
  }
}

/** Returns null for a file that cannot be read. Throws a StartupError if an operator can fix the reason. */
export function nullUnlessFixable(error: unknown): null {
  // ENOTDIR: a parent in the path is a file, so the path does not exist. The caller's message names the directory that
  // it expected.
  if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return null;
  const explained = explainFileError(error);
  if (explained instanceof StartupError) throw explained;
  return null;
}

/**
 * Returns a StartupError for a failure to reach Postgres, or null if the failure has no known explanation. The message
 * contains the host and the database, but never the URL, because the URL contains a password.
 */
export function unreachable(url: string, error: unknown): StartupError | null {
  const at = placeOf(url);
  if (error instanceof StartupError) return error;
  const startupError = (sentence: string) => new StartupError(sentence, { cause: error });
  if (error instanceof WeakAuthentication) {
    return startupError(
      `Postgres at ${at} requested the password by ${error.method} authentication without TLS. Florin did not send the password. ` +
        "On the server, set password_encryption = 'scram-sha-256', set the password again and use scram-sha-256 in pg_hba.conf, or connect with TLS (sslmode=verify-full).",
    );
  }
  if (error instanceof Error && error.message === tlsUnsupportedMessage) {
    return startupError(
      `Postgres at ${at} does not support TLS, which Florin requires for a database on another host. On the server, set ssl = on and a certificate, ` +
        "or, on a trusted private network, start Florin with FLORIN_DATABASE_TLS=off and without sslmode in DATABASE_URL.",
    );
  }
  const code = codeOf(error);
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") {
    const when = code === "CERT_HAS_EXPIRED" ? "has expired" : "is not valid yet";
    return startupError(
      `The certificate of Postgres at ${at} ${when} (${code}). Renew the certificate on the server. If the certificate is valid, correct the clock of this machine.`,
    );
  }
  if (typeof code === "string" && isCertificateError(code)) {
    return startupError(
      `Florin cannot verify the certificate of Postgres at ${at} (${code}). Set its certificate authority with ` +
        "sslrootcert=/path/to/ca.pem in DATABASE_URL, and use a host name that the certificate contains.",
    );
  }
  switch (code) {
    case "ECONNREFUSED":
    case "ENOENT":
      return startupError(
        `Postgres does not listen at ${at}. Start Postgres, or correct DATABASE_URL.`,
      );
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return startupError(
        `The host name in ${at} does not resolve. Correct DATABASE_URL or the DNS records.`,
      );
    case "ETIMEDOUT":
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return startupError(
        `Florin cannot reach Postgres at ${at}. Check DATABASE_URL and the network.`,
      );
    case "25006":
      return startupError(
        `Postgres at ${at} accepts no writes. It is probably a standby. Set DATABASE_URL to the primary, or name all nodes of the cluster in it.`,
      );
    // SQLSTATE class 28, invalid authorization.
    case "28P01":
      return startupError(
        `Postgres at ${at} rejected the password in DATABASE_URL. Correct the user or the password in DATABASE_URL.`,
      );
    case "28000":
      return startupError(
        `Postgres at ${at} rejected the connection (${(error as Error).message}). Correct the user in DATABASE_URL, or allow the connection in pg_hba.conf.`,
      );
    case "3D000":
      return startupError(
        `Postgres at ${at} does not have this database. Create the database, or correct DATABASE_URL.`,
      );
    case "42501":
      return startupError(
        `At ${at}, the user in DATABASE_URL lacks a privilege that Florin needs (${(error as Error).message}). Grant the privilege.`,
      );
    case "53100":
      return startupError(
        `The disk of Postgres at ${at} is full. Free some space. No committed data is lost.`,
      );
    case "53300":
      return startupError(
        `Postgres at ${at} accepts no more connections. Increase max_connections, or stop other programs that use this Postgres.`,
      );
    case "57P03":
      return startupError(
        `Postgres at ${at} is starting, stopping or recovering. Try again in a minute. The log of Postgres shows its progress.`,
      );
    default:
      if (!isUnavailable(error)) return null;
      return startupError(
        `Florin cannot connect to Postgres at ${at} (${(error as Error).message}). Check that Postgres is running there and is not overloaded.`,
      );
  }
}

/** The driver's message. The driver sets no error code for this error. */
const tlsUnsupportedMessage = "The server does not support SSL connections";

/** Matches the codes of OpenSSL's X.509 verification, and Node's code for a host name that is not in the certificate. */
export function isCertificateError(code: string): boolean {
  return /^(ERR_TLS_CERT|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/.test(code);
}

function placeOf(url: string): string {
  const hosts = hostsOf(url).map((one) => new URL(one));
  const places = hosts.map(({ hostname, port }) => `${hostname || "localhost"}:${port || 5432}`);
  return `${places.join(", ")}${hosts[0]?.pathname}`;
}

/**
 * Returns the error's code. For a host with several addresses, the aggregate error carries the code of the first
 * failure.
 */
function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}
