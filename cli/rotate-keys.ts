import { parseArgs } from "node:util";
import type { Config } from "@florin/server/config.ts";
import {
  applicationDocuments,
  applicationSections,
} from "@florin/server/underwriting/sealed-places.ts";
import { openLocalKeyProvider } from "@florin/server/vault/local-key-provider.ts";
import { totpSecrets } from "@florin/server/vault/person-secrets.ts";
import { rewrapCards } from "@florin/server/vault/rewrap-cards.ts";
import { rewrapSecrets, type SealedPlace } from "@florin/server/vault/rewrap-secrets.ts";
import { signingSecrets } from "@florin/server/webhooks/signing-keys.ts";
import { recordCommand } from "./record-command.ts";
import { withDatabase } from "./with-database.ts";

const places: Readonly<Record<string, SealedPlace>> = {
  "webhook secrets": signingSecrets,
  "authenticator apps": totpSecrets,
  "sections of applications": applicationSections,
  documents: applicationDocuments,
};

/**
 * `florin rotate-keys [--live] [--rest]`: makes a new key-encryption key the current one and moves every card and every
 * secret under it, while charges go on. Servers that run keep wrapping under the old key until they are started again;
 * `--rest` then moves what they have added, and makes no other key.
 */
export async function rotateKeys(config: Config, arguments_: string[]): Promise<number> {
  const { live: livemode, rest } = readArguments(arguments_);
  const keys = openLocalKeyProvider(config.keysDirectory);
  const keyId = await (rest ? keys.currentKeyId(livemode) : keys.rotate(livemode));
  return withDatabase(config, async (database) => {
    await recordCommand(database, "service.keys_rotated", { key: keyId, rest });
    const moved = [`cards ${await rewrapCards({ database, keys }, livemode)}`];
    for (const [name, place] of Object.entries(places)) {
      moved.push(`${name} ${await rewrapSecrets({ database, keys }, place, livemode)}`);
    }
    console.log(
      `${keyId} is the current key. Moved under it, and not opened: ${moved.join(", ")}.`,
    );
    return 0;
  });
}

function readArguments(arguments_: string[]) {
  const flag = { type: "boolean", default: false } as const;
  return parseArgs({ args: arguments_, options: { live: flag, rest: flag } }).values;
}
