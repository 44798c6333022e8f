import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "@florin/server/config.ts";
import { CannotStart } from "@florin/server/database/cannot-start.ts";

/** Where `florin start` writes down how to reach what it has started. */
export function readyFile(config: Config): string {
  return join(config.dataDirectory, "ready.json");
}

/** A service that runs, and a key to it. */
export type Service = { readonly url: string; readonly key: string };

/** Where the service is, and as whom to ask: as the arguments say, or as `florin start` has written down. */
export async function findService(
  config: Config,
  given: { readonly url?: string | undefined; readonly key?: string | undefined },
): Promise<Service> {
  if (given.url && given.key) return { url: given.url.replace(/\/$/, ""), key: given.key };
  const text = await readFile(readyFile(config), "utf8").catch(() => null);
  if (text === null) {
    throw new CannotStart(
      `No service runs on ${config.dataDirectory}. Run 'florin start' first, or give --url and --key.`,
    );
  }
  const ready = JSON.parse(text) as { base_url: string; test_secret_key: string | null };
  const key = given.key ?? ready.test_secret_key;
  if (!key) throw new CannotStart("The service runs without the demo merchant: give a --key.");
  return { url: given.url ?? ready.base_url, key };
}
