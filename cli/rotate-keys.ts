import { parseArgs } from "node:util";
import { connectionSecrets } from "@florin/server/acquiring/connections/connection-secrets.ts";
import { proposedSecrets } from "@florin/server/admin/operator/proposed-secrets.ts";
import {
  applicationDocuments,
  applicationSections,
} from "@florin/server/admin/underwriting/encrypted-columns.ts";
import type { Config } from "@florin/server/config.ts";
import { systemClock } from "@florin/server/core/clock.ts";
import { disputeFiles } from "@florin/server/payments/disputes/dispute-file.ts";
import { checkKeys, registerCurrentKey, retireOldKeys } from "@florin/server/vault/key-checks.ts";
import { createLocalKeyProvider } from "@florin/server/vault/local-key-provider.ts";
import { totpSecrets } from "@florin/server/vault/person-secrets.ts";
import { rewrapCards } from "@florin/server/vault/rewrap-cards.ts";
import { type EncryptedColumn, rewrapSecrets } from "@florin/server/vault/rewrap-secrets.ts";
import { walletPrivateKeys } from "@florin/server/vault/wallets/configurations/wallet-key-secrets.ts";
import { signingSecrets } from "@florin/server/webhooks/delivery/signing-keys.ts";
import { recordCommand } from "./record-command.ts";
import { withDatabase } from "./with-database.ts";

const encryptedColumns: Readonly<Record<string, EncryptedColumn>> = {
  "webhook secrets": signingSecrets,
  "authenticator apps": totpSecrets,
  "sections of applications": applicationSections,
  documents: applicationDocuments,
  "files of disputes": disputeFiles,
  "acquirer connections": connectionSecrets,
  "proposals of operators": proposedSecrets,
  "wallet keys": walletPrivateKeys,
};

/**
 * `florin rotate-keys [--live]`: creates a key-encryption key and rewraps every card's and secret's data key under the
 * new key. The service keeps running, and uses the old key until it is restarted. Run the command with `--finish` after
 * the restart. With `--finish`, the command creates no key. It rewraps the data keys that were encrypted under the old
 * key until the restart, and retires the old keys. A day later, only backups need the files of retired keys.
 */
export async function rotateKeys(config: Config, arguments_: string[]): Promise<number> {
  const { live: livemode, finish } = readArguments(arguments_);
  const keys = createLocalKeyProvider(config.keysDirectory);
  return withDatabase(config, async (database) => {
    const deps = { database, keys, clock: systemClock };
    // Fails if the key directory is wrong. The rotation would otherwise create a first key that is unrelated to the
    // service's keys.
    await checkKeys(deps);
    const keyId = await (finish ? keys.currentKeyId(livemode) : keys.rotate(livemode));
    await registerCurrentKey(deps, livemode);
    await recordCommand(database, "service.keys_rotated", { key: keyId, finish });
    const rewrapped = [`cards ${await rewrapCards(deps, livemode)}`];
    for (const [name, column] of Object.entries(encryptedColumns)) {
      rewrapped.push(`${name} ${await rewrapSecrets(deps, column, livemode)}`);
    }
    if (finish) await retireOldKeys(deps, livemode);
    console.log(`${keyId} is the current key. Re-encrypted data keys: ${rewrapped.join(", ")}.`);
    return 0;
  });
}

function readArguments(arguments_: string[]) {
  const flag = { type: "boolean", default: false } as const;
  return parseArgs({ args: arguments_, options: { live: flag, finish: flag } }).values;
}
