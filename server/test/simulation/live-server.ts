import { builtEmbed } from "@florin/embed/test/built-embed.ts";
import type { AcquirerOrigins } from "../../src/acquiring/connector.ts";
import type { Shop } from "../shop.ts";
import { retryWhileUnavailable } from "./retry-while-unavailable.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

/**
 * Starts a server in a child process that shares the database and the keys of the shop, and sends live payments to the
 * fakes of the acquirers.
 */
export async function startLiveServer(
  shop: Shop,
  origins: AcquirerOrigins,
  port: number,
): Promise<ServerProcess> {
  const { DATABASE_URL, FLORIN_KEYS } = shop.settings;
  const embed = await builtEmbed();
  return retryWhileUnavailable(
    () =>
      startServer({
        databaseUrl: DATABASE_URL,
        dataDirectory: `${FLORIN_KEYS}/..`,
        embedDirectory: embed.outdir,
        shopUrl: `http://127.0.0.1:${port}`,
        port,
        environment: {
          FLORIN_KEYS,
          FLORIN_ACQUIRERS: "sandbox",
          FLORIN_ACQUIRER_URLS: Object.entries(origins)
            .map((pair) => pair.join("="))
            .join(),
        },
      }),
    { tries: 20, everyMs: 200 },
  );
}
