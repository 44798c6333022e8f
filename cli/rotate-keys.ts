import type { Config } from "@florin/server/config.ts";
import { openLocalKeyProvider } from "@florin/server/vault/local-key-provider.ts";
import { rewrapCards } from "@florin/server/vault/rewrap-cards.ts";
import { withDatabase } from "./with-database.ts";

/**
 * `florin rotate-keys [--live]`: makes a new key-encryption key the current one and moves every card under it, while
 * charges go on. Servers that run keep wrapping new cards under the old key until they are started again; running
 * this once more after that moves the last ones.
 */
export async function rotateKeys(config: Config, arguments_: readonly string[]): Promise<number> {
  const livemode = arguments_.includes("--live");
  const keys = openLocalKeyProvider(config.keysDirectory);
  const keyId = await keys.rotate(livemode);
  const moved = await withDatabase(config, (database) => rewrapCards({ database, keys }, livemode));
  console.log(`${keyId} is the current key. ${moved} cards were moved under it; none was opened.`);
  return 0;
}
