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

/** Thrown if the keys do not match the database. */
export class WrongKeys extends StartupError {}

export type KeyCheckDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly keys: KeyProvider;
};

/**
 * Verifies that the keys match this database, and registers keys that are not registered yet. Must run before any other
 * use of a key, because the provider creates missing keys. Otherwise a server with existing data but an empty key
 * directory would create new keys, and no stored API key or card would work with them.
 *
 * @throws WrongKeys if a key is missing or does not match. No key was created in that case, unless another server
 * registered its keys first.
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
  // Verifies again: of two servers that start on an empty database with different keys, the second is rejected.
  await verify(deps.keys, await readKeyChecks(deps.database.read));
}

/** Registers the current key-encryption key of a mode, for example after `florin rotate-keys` has created it. */
export async function registerCurrentKey(deps: KeyCheckDeps, livemode: boolean): Promise<void> {
  await register(deps, [livemode], await readKeyChecks(deps.database.read));
}

/**
 * Marks the old key-encryption keys of a mode as retired. Call it after all data of the mode is encrypted under the
 * current key.
 */
export async function retireOldKeys(
  { database, clock, keys }: KeyCheckDeps,
  livemode: boolean,
): Promise<void> {
  const current = await keys.currentKeyId(livemode);
  await database.autocommit((tx) => retireOtherKeys(tx, livemode, current, clock.now()));
}

/**
 * Verifies the keys like `checkKeys`, but does not register any. Used by commands that run while a server may be
 * running.
 *
 * @throws WrongKeys if a key is missing or does not match.
 */
export async function verifyKeys({ database, keys }: Omit<KeyCheckDeps, "clock">): Promise<void> {
  await verify(keys, await readKeyChecks(database.read));
}

/** Verifies the key-encryption keys first, so that the error for an empty directory names one of them. */
async function verify(keys: KeyProvider, checks: readonly KeyCheck[]): Promise<void> {
  const byKind = [...checks].sort((a, b) => a.kind.localeCompare(b.kind));
  for (const check of byKind) {
    try {
      if (await isSameKey(keys, check)) continue;
    } catch (error) {
      if (!(error instanceof KeyMissing)) throw error;
      if (check.retired) continue;
      throw new WrongKeys(`${error.message}. ${restore} Florin does not replace a missing key.`, {
        cause: error,
      });
    }
    throw new WrongKeys(
      `The key ${check.keyId} is not the key that this database uses. ${restore}`,
    );
  }
}

const restore =
  "Set FLORIN_KEYS to the directory of keys that was used with this database, or restore that directory from its backup " +
  "(docs/operating/production.md#backups).";

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

/** Verifies that the keys exist for a database that contains data but has no registered keys. */
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
 * Registers the keys of the given modes in one transaction. With one transaction per mode, two servers that start on an
 * empty database could each register one mode, and the database would then accept the keys of neither.
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

/**
 * The constant whose wrapped form is the check value. It has the length of a data key, which every key service can
 * wrap.
 */
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
