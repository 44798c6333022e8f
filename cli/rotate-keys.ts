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
import { listProcessesWithoutKey } from "@florin/server/platform/audit/audit.sql.ts";
import type { Database } from "@florin/server/platform/database/database.ts";
import { StartupError } from "@florin/server/platform/database/startup-error.ts";
import { listRunningProcesses } from "@florin/server/platform/jobs/process-number.ts";
import { checkKeys, registerCurrentKey, retireOldKeys } from "@florin/server/vault/key-checks.ts";
import { createLocalKeyProvider } from "@florin/server/vault/local-key-provider.ts";
import { totpSecrets } from "@florin/server/vault/person-secrets.ts";
import { rewrapCards } from "@florin/server/vault/rewrap-cards.ts";
import { type EncryptedColumn, rewrapSecrets } from "@florin/server/vault/rewrap-secrets.ts";
import { walletPrivateKeys } from "@florin/server/vault/wallets/configurations/wallet-key-secrets.ts";
import { signingSecrets } from "@florin/server/webhooks/delivery/signing-keys.ts";
import { commandLine } from "./command-line.ts";
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
    if (finish) await assertRestarted(database, await keys.currentKeyId(livemode), livemode);
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
    console.log(finish ? keepOldKeys : `Restart all servers. Then run: ${finishCommand(livemode)}`);
    return 0;
  });
}

/**
 * Throws if a server still uses an old key. The server would encrypt further data with the retired key. Without the
 * key's file, this data would be lost, and no check would report the missing key.
 */
async function assertRestarted(
  database: Database,
  keyId: string,
  livemode: boolean,
): Promise<void> {
  const running = await listRunningProcesses(database.read);
  const old = await listProcessesWithoutKey(database.read, running, keyId);
  if (old.length === 0) return;
  const processes =
    old.length === 1 ? "1 server process uses" : `${old.length} server processes use`;
  throw new StartupError(
    `${processes} an older key than ${keyId}, because ${old.length === 1 ? "it has" : "they have"} not been restarted with this key. Restart all servers. Then run: ${finishCommand(livemode)}`,
  );
}

function finishCommand(livemode: boolean): string {
  return commandLine("rotate-keys", livemode ? "--live --finish" : "--finish");
}

const keepOldKeys =
  "Keep the files of the older keys for another day, and for as long as you keep backups from before this rotation.";

function readArguments(arguments_: string[]) {
  const flag = { type: "boolean", default: false } as const;
  return parseArgs({ args: arguments_, options: { live: flag, finish: flag } }).values;
}
