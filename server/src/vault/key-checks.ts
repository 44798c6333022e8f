import type { Clock } from "../core/clock.ts";
import type { Database } from "../platform/database/database.ts";
import { StartupError } from "../platform/database/startup-error.ts";
import { DecryptionFailed } from "./aes-gcm.ts";
import {
  insertKeyCheck,
  type KeyCheck,
  readKeyChecks,
  retireOtherKeys,
  usesKeys,
} from "./key-checks.sql.ts";
import { KeyMissing, type KeyProvider } from "./key-provider.ts";

/** Thrown when the keys do not match the database. */
export class WrongKeys extends StartupError {}

export type KeyCheckDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly keys: KeyProvider;
};

/**
 * Verifies that the keys are the ones this database was written with, and registers those that it has not seen. Called
 * before anything else uses a key, because a provider creates keys that are not there: an empty directory beside a
 * database with data would get new ones, and no API key or card could be used.
 *
 * @throws WrongKeys when a key is missing or is another. No key was created then.
 */
export async function checkKeys(deps: KeyCheckDeps): Promise<void> {
  const registered = await readKeyChecks(deps.database.read);
  await verify(deps.keys, registered);
  for (const livemode of [false, true]) {
    if (!registered.some((check) => check.livemode === livemode && check.kind === "hmac")) {
      await assertKeysForData(deps, livemode);
    }
  }
  await register(deps, [false, true], registered);
  // Rejects the second of two servers that start on an empty database with different keys.
  await verify(deps.keys, await readKeyChecks(deps.database.read));
}

/** Registers the current key-encryption key of a mode, such as one that `florin rotate-keys` has just created. */
export async function registerCurrentKey(deps: KeyCheckDeps, livemode: boolean): Promise<void> {
  await register(deps, [livemode], await readKeyChecks(deps.database.read));
}

/** Marks a mode's other keys as unused. Call it after all data of the mode is encrypted under the current key. */
export async function retireOldKeys(
  { database, clock, keys }: KeyCheckDeps,
  livemode: boolean,
): Promise<void> {
  const current = await keys.currentKeyId(livemode);
  await database.transaction((tx) => retireOtherKeys(tx, livemode, current, clock.now()));
}

/**
 * Verifies the keys like `checkKeys`, and registers none: for commands beside a server.
 *
 * @throws WrongKeys when a key is missing or is another.
 */
export async function verifyKeys({ database, keys }: Omit<KeyCheckDeps, "clock">): Promise<void> {
  await verify(keys, await readKeyChecks(database.read));
}

/** Orders key-encryption keys first, so that the error of an empty directory names one of them. */
async function verify(keys: KeyProvider, checks: readonly KeyCheck[]): Promise<void> {
  const byKind = [...checks].sort((a, b) => a.kind.localeCompare(b.kind));
  for (const check of byKind) {
    try {
      if (await isSameKey(keys, check)) continue;
    } catch (error) {
      if (!(error instanceof KeyMissing)) throw error;
      if (check.retired) continue;
      throw new WrongKeys(`${error.message}. ${restore}`, { cause: error });
    }
    throw new WrongKeys(`The key ${check.keyId} is not the key of this database. ${restore}`);
  }
}

const restore =
  "Set FLORIN_KEYS to the directory of keys that was used with this database, or restore that directory from its backup " +
  "(docs/operating/production.md#backups). Nothing was started, and no key was created.";

async function isSameKey(keys: KeyProvider, check: KeyCheck): Promise<boolean> {
  const { keyId, livemode, kind, checkValue } = check;
  if (kind === "hmac") return keys.verifyMac(livemode, textOf(keyId), checkValue);
  try {
    const wrapped = { keyId, wrapped: checkValue };
    return (await keys.unwrap(livemode, wrapped, contextOf(keyId))).equals(knownKey);
  } catch (error) {
    if (error instanceof DecryptionFailed) return false;
    throw error;
  }
}

/** Checks a database that was written before its keys were registered. */
async function assertKeysForData(
  { database, keys }: KeyCheckDeps,
  livemode: boolean,
): Promise<void> {
  if (!(await usesKeys(database.read, livemode))) return;
  const id = hmacKeyId(livemode);
  try {
    await keys.verifyMac(livemode, textOf(id), Buffer.alloc(32));
  } catch (error) {
    if (error instanceof KeyMissing) throw new WrongKeys(`${error.message}. ${restore}`);
    throw error;
  }
}

/**
 * Registers the keys of both modes in one transaction. With a transaction for each mode, two servers that start on an
 * empty database could each register one, and the database would accept the keys of neither.
 */
async function register(
  { database, clock, keys }: KeyCheckDeps,
  modes: readonly boolean[],
  registered: readonly KeyCheck[],
): Promise<void> {
  const isKnown = (id: string) => registered.some(({ keyId }) => keyId === id);
  const made: Omit<KeyCheck, "retired">[] = [];
  for (const livemode of modes) {
    const current = await keys.currentKeyId(livemode);
    if (!isKnown(current)) {
      const { keyId, wrapped } = await keys.wrap(livemode, knownKey, contextOf(current));
      made.push({ keyId, livemode, kind: "encryption", checkValue: wrapped });
    }
    const hmac = hmacKeyId(livemode);
    if (!isKnown(hmac)) {
      const checkValue = await keys.mac(livemode, textOf(hmac));
      made.push({ keyId: hmac, livemode, kind: "hmac", checkValue });
    }
  }
  if (made.length === 0) return;
  const now = clock.now();
  await database.transaction(async (tx) => {
    for (const check of made) await insertKeyCheck(tx, check, now);
  });
}

/** The length of a data key, which every key service can wrap. */
const knownKey = Buffer.alloc(32, "florin key check");

function contextOf(keyId: string): Buffer {
  return Buffer.from(`florin.key_check|${keyId}`);
}

function textOf(keyId: string): Buffer {
  return Buffer.from(`key_check|${keyId}`);
}

function hmacKeyId(livemode: boolean): string {
  return livemode ? "live.fingerprint" : "test.fingerprint";
}
