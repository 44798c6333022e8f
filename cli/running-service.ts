import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Config, WrongSetting } from "@florin/server/config.ts";
import { browserAddress } from "@florin/server/identity/people/browser-address.ts";
import {
  isCertificateError,
  nullUnlessFixable,
  StartupError,
} from "@florin/server/platform/database/startup-error.ts";

/** Returns the file in which `florin start` records the URL and keys of the running service. */
export function readyFile(config: Config): string {
  return join(config.dataDirectory, "ready.json");
}

/** Returns the file to which `florin start` writes the one-time link that creates the first operator. */
export function operatorLinkFile(config: Config): string {
  return join(config.dataDirectory, "operator-link");
}

/** Parses the ready file. Returns null if a crash left it empty or truncated. */
function parseReady<Ready>(text: string): Ready | null {
  try {
    return JSON.parse(text) as Ready;
  } catch {
    return null;
  }
}

/** A running service, and an API key for it. */
export type Service = { readonly url: string; readonly key: string };

/**
 * Returns the error for a request that got no response. The message names the cause and the fix. `error` is the error
 * that `fetch` has thrown.
 */
export function unreachableService(url: string, error: unknown): StartupError {
  const code = fetchFailureOf(error);
  const startupError = (sentence: string) => new StartupError(sentence, { cause: error });
  if ((error as Error).name === "TimeoutError") {
    return startupError(
      `The service at ${url} did not respond in time. Check the service (docs/operating/when-something-is-wrong.md), or set another --url.`,
    );
  }
  switch (code) {
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return startupError(
        `The host name in ${url} does not resolve (${code}). Correct --url or the DNS records.`,
      );
    case "CERT_HAS_EXPIRED":
    case "CERT_NOT_YET_VALID":
      return startupError(
        `The certificate of ${url} has expired or is not valid yet (${code}). Renew the certificate. If it is valid, correct the clock of this machine.`,
      );
    default:
      if (isCertificateError(code)) {
        return startupError(
          `The certificate of ${url} cannot be verified (${code}). Use a host name that the certificate contains. For a private certificate authority, set NODE_EXTRA_CA_CERTS.`,
        );
      }
      return startupError(
        `No service responds at ${url} (${code}). Start the service, or set another --url.`,
      );
  }
}

/** Returns the code of an error that `fetch` has thrown, such as ECONNREFUSED, or its message if it has no code. */
export function fetchFailureOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message;
}

/** Returns the error for a response that is not one of Florin's API. */
export function unexpectedResponse(url: string, { status, headers }: Response): StartupError {
  const location = headers.get("location");
  return new StartupError(
    location !== null && status >= 300 && status < 400
      ? `${url} redirects to ${location}. Set --url to the URL of the service.`
      : `The response of ${url} is not one of Florin's API (status ${status}). Check the service and its proxy, or set another --url.`,
  );
}

/** Returns the service and key from the arguments, or from the file that `florin start` has written. */
export async function findService(
  config: Config,
  given: { readonly url?: string | undefined; readonly key?: string | undefined },
): Promise<Service> {
  const url = given.url && baseUrlOf(given.url);
  if (given.key !== undefined && !isHeaderText(given.key)) {
    throw new WrongSetting("--key must be an API key, such as sk_test_….");
  }
  if (url && given.key) return { url, key: given.key };
  const text = await readFile(readyFile(config), "utf8").catch(nullUnlessFixable);
  if (text === null) {
    throw new StartupError(
      `No service is running with the data directory ${config.dataDirectory}. Run 'florin start' first, or set --url and --key.`,
    );
  }
  const ready = parseReady<{ base_url: string; test_secret_key: string | null }>(text);
  if (!ready) {
    throw new StartupError(`${readyFile(config)} is incomplete. Run 'florin start' again.`);
  }
  // The key of the local service must not be sent to another one.
  if (url && browserAddress(url) !== browserAddress(ready.base_url)) {
    throw new WrongSetting(
      `The service of the data directory ${config.dataDirectory} is at ${ready.base_url}, not at ${url}. Set --key to a key of the service at ${url}.`,
    );
  }
  const key = given.key ?? ready.test_secret_key;
  if (!key) throw new StartupError("The service runs without the demo merchant. Set --key.");
  return { url: url ?? ready.base_url, key };
}

/** Returns the origin of the URL. Rejects a path, because Florin is always served at the root of its origin. */
function baseUrlOf(text: string): string {
  const url = /^https?:\/\//.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (url && url.pathname === "/" && !url.search && !url.hash && !url.username && !url.password) {
    return url.origin;
  }
  throw new WrongSetting(
    `--url must be a URL without a path, such as http://localhost:4242. Got '${text}'.`,
  );
}

/** Returns whether a key can be sent in a header. `fetch` throws for other characters. */
function isHeaderText(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
