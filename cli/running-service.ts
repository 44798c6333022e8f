import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Config, WrongSetting } from "@florin/server/config.ts";
import { nullUnlessDenied, StartupError } from "@florin/server/platform/database/startup-error.ts";

/** Returns the file in which `florin start` records the URL and keys of the running service. */
export function readyFile(config: Config): string {
  return join(config.dataDirectory, "ready.json");
}

/** Returns the file to which `florin start` writes the one-time link that creates the first operator. */
export function operatorLinkFile(config: Config): string {
  return join(config.dataDirectory, "operator-link");
}

/** Parses the ready file. Returns null if a crash left it empty or truncated. */
export function parseReady<Ready>(text: string): Ready | null {
  try {
    return JSON.parse(text) as Ready;
  } catch {
    return null;
  }
}

/** A running service, and an API key for it. */
export type Service = { readonly url: string; readonly key: string };

/** Returns the service and key from the arguments, or from the file that `florin start` has written. */
export async function findService(
  config: Config,
  given: { readonly url?: string | undefined; readonly key?: string | undefined },
): Promise<Service> {
  const url = given.url && baseUrlOf(given.url);
  if (url && given.key) return { url, key: given.key };
  const text = await readFile(readyFile(config), "utf8").catch(nullUnlessDenied);
  if (text === null) {
    throw new StartupError(
      `No service is running with the data directory ${config.dataDirectory}. Run 'florin start' first, or set --url and --key.`,
    );
  }
  const ready = parseReady<{ base_url: string; test_secret_key: string | null }>(text);
  if (!ready) {
    throw new StartupError(`${readyFile(config)} is incomplete. Run 'florin start' again.`);
  }
  const key = given.key ?? ready.test_secret_key;
  if (!key) throw new StartupError("The service runs without the demo merchant. Set --key.");
  return { url: url ?? ready.base_url, key };
}

/** Returns the URL without a trailing slash, so that a path can be appended. */
function baseUrlOf(text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text.replace(/\/$/, "");
  throw new WrongSetting(`--url must be a URL such as http://localhost:4242. Got '${text}'.`);
}
