import { parseArgs } from "node:util";
import {
  applicationDocuments,
  applicationSections,
} from "@florin/server/admin/underwriting/encrypted-columns.ts";
import type { Config } from "@florin/server/config.ts";
import { systemClock } from "@florin/server/core/clock.ts";
import { checkKeys, registerCurrentKey, retireOldKeys } from "@florin/server/vault/key-checks.ts";
import { createLocalKeyProvider } from "@florin/server/vault/local-key-provider.ts";
import { totpSecrets } from "@florin/server/vault/person-secrets.ts";
import { rewrapCards } from "@florin/server/vault/rewrap-cards.ts";
import { type EncryptedColumn, rewrapSecrets } from "@florin/server/vault/rewrap-secrets.ts";
import { signingSecrets } from "@florin/server/webhooks/delivery/signing-keys.ts";
import { recordCommand } from "./record-command.ts";
import { withDatabase } from "./with-database.ts";

const places: Readonly<Record<string, EncryptedColumn>> = {
  "webhook secrets": signingSecrets,
  "authenticator apps": totpSecrets,
  "sections of applications": applicationSections,
  documents: applicationDocuments,
};

/**
 * `florin rotate-keys [--live] [--rest]`: creates a new key-encryption key and moves every card and every secret under
 * it, while charges go on. Running servers encrypt under the old key until they are restarted. `--rest` then creates no
 * key, moves what they have added, and retires the old keys: their files may be removed.
 */
export async function rotateKeys(config: Config, arguments_: string[]): Promise<number> {
  const { live: livemode, rest } = readArguments(arguments_);
  const keys = createLocalKeyProvider(config.keysDirectory);
  return withDatabase(config, async (database) => {
    const deps = { database, keys, clock: systemClock };
    // In the wrong directory a rotation would create a first key, and not a next one.
    await checkKeys(deps);
    const keyId = await (rest ? keys.currentKeyId(livemode) : keys.rotate(livemode));
    await registerCurrentKey(deps, livemode);
    await recordCommand(database, "service.keys_rotated", { key: keyId, rest });
    const moved = [`cards ${await rewrapCards(deps, livemode)}`];
    for (const [name, place] of Object.entries(places)) {
      moved.push(`${name} ${await rewrapSecrets(deps, place, livemode)}`);
    }
    if (rest) await retireOldKeys(deps, livemode);
    console.log(
      `${keyId} is the current key. Encrypted under it, without decrypting the data itself: ${moved.join(", ")}.`,
    );
    return 0;
  });
}

function readArguments(arguments_: string[]) {
  const flag = { type: "boolean", default: false } as const;
  return parseArgs({ args: arguments_, options: { live: flag, rest: flag } }).values;
}
