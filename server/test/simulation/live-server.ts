import { builtEmbed } from "@florin/embed/test/built-embed.ts";
import type { Adyen } from "../adyen.ts";
import type { Shop } from "../shop.ts";
import { retryWhileUnavailable } from "./retry-while-unavailable.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

/**
 * Starts a server in a child process that shares the database and the keys of the shop, and sends live payments to the
 * fake of Adyen.
 */
export async function startLiveServer(
  shop: Shop,
  adyen: Adyen,
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
          FLORIN_ACQUIRER_URLS: `adyen=${adyen.url}`,
        },
      }),
    { tries: 20, everyMs: 200 },
  );
}
