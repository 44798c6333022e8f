import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { link, open, readdir, readFile, stat, unlink } from "node:fs/promises";
import path from "node:path";
import { makeDirectories } from "../core/make-directories.ts";
import { StartupError } from "../platform/database/startup-error.ts";
import { decrypt, encrypt } from "./aes-gcm.ts";
import { KeyMissing, type KeyProvider, type WrappedKey } from "./key-provider.ts";

/**
 * Stores the keys in files that only the server's user can read, for development or a single server. For production in
 * PCI DSS scope, implement `KeyProvider` with a KMS, so that a stolen disk does not expose the cards.
 *
 * `test.1.key`, `test.2.key`, … are key-encryption keys, and the highest number is the current one.
 * `test.fingerprint.key` never changes. The files of live mode begin with `live`.
 */
export type LocalKeyProvider = KeyProvider & {
  /** Creates a new key-encryption key, which becomes the current one. `rewrapCards` rewraps the cards under it. */
  rotate(livemode: boolean): Promise<string>;
};

export function createLocalKeyProvider(directory: string): LocalKeyProvider {
  const keys = new Map<string, Promise<Buffer>>();

  /** Returns a key. The file is read once, because it never changes. An error is not cached. */
  function key(id: string, ifMissing: "create" | "fail"): Promise<Buffer> {
    const known = keys.get(id);
    if (known) return known;
    const file = path.join(directory, `${id}.key`);
    const reading = ifMissing === "create" ? readOrCreateKey(file) : readExistingKey(id, file);
    keys.set(id, reading);
    reading.catch(() => keys.delete(id));
    return reading;
  }

  async function newestNumber(livemode: boolean): Promise<number> {
    const pattern = new RegExp(`^${modeName(livemode)}\\.([0-9]+)\\.key$`);
    const files = await readdir(directory).catch(() => []);
    return Math.max(0, ...files.map((file) => Number(pattern.exec(file)?.[1] ?? 0)));
  }

  const current = new Map<boolean, Promise<string>>();

  function currentKeyId(livemode: boolean): Promise<string> {
    const known = current.get(livemode);
    if (known) return known;
    const finding = newestNumber(livemode).then((number) => keyId(livemode, Math.max(1, number)));
    current.set(livemode, finding);
    finding.catch(() => current.delete(livemode));
    return finding;
  }

  return {
    async wrap(livemode, dataKey, context) {
      const id = await currentKeyId(livemode);
      return { keyId: id, wrapped: encrypt(await key(id, "create"), dataKey, context) };
    },

    async unwrap(livemode, wrapped: WrappedKey, context) {
      // The ID comes from a database row. It must be the name of a key of this mode, and not a path.
      if (!new RegExp(`^${modeName(livemode)}\\.[0-9]+$`).test(wrapped.keyId)) {
        throw new Error(`${JSON.stringify(wrapped.keyId)} is not a ${modeName(livemode)} key`);
      }
      // A missing key must not be created here. The new key could not decrypt the data, and would hide the loss.
      return decrypt(await key(wrapped.keyId, "fail"), wrapped.wrapped, context);
    },

    async mac(livemode, message) {
      const macKey = await key(`${modeName(livemode)}.fingerprint`, "create");
      return createHmac("sha256", macKey).update(message).digest();
    },

    async verifyMac(livemode, message, mac) {
      const macKey = await key(`${modeName(livemode)}.fingerprint`, "fail");
      const expected = createHmac("sha256", macKey).update(message).digest();
      return expected.length === mac.length && timingSafeEqual(expected, mac);
    },

    currentKeyId,

    async rotate(livemode) {
      const id = keyId(livemode, (await newestNumber(livemode)) + 1);
      await key(id, "create");
      current.set(livemode, Promise.resolve(id));
      return id;
    },
  };
}

function modeName(livemode: boolean): "live" | "test" {
  return livemode ? "live" : "test";
}

function keyId(livemode: boolean, number: number): string {
  return `${modeName(livemode)}.${number}`;
}

const keyBytes = 32;

async function readOrCreateKey(file: string): Promise<Buffer> {
  try {
    return await readKey(file);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  await createKey(file);
  // Reads the file even after creating it, because another process may have created it first.
  return readKey(file);
}

async function readExistingKey(id: string, file: string): Promise<Buffer> {
  try {
    return await readKey(file);
  } catch (error) {
    throw isMissing(error) ? new KeyMissing(id, `${file} does not exist`) : error;
  }
}

/**
 * Creates a key file. If two processes start concurrently, each writes a complete key to a temporary file, and `link`
 * gives the final name to exactly one of them. A partial key is therefore never read, and an existing key is never
 * replaced.
 */
async function createKey(file: string): Promise<void> {
  await makeDirectories(path.dirname(file));
  const draft = `${file}.${randomBytes(8).toString("hex")}.draft`;
  const handle = await open(draft, "wx", 0o600);
  try {
    await handle.writeFile(randomBytes(keyBytes));
    // Without the flush, a power failure could lose a key with which cards are already encrypted.
    await handle.sync();
  } finally {
    await handle.close();
  }
  await link(draft, file).catch((error: unknown) => {
    if (!isAlreadyThere(error)) throw error;
  });
  await unlink(draft);
  await syncDirectory(path.dirname(file));
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r").catch(() => null);
  // Some systems cannot open or flush a directory, so errors are ignored.
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

async function readKey(file: string): Promise<Buffer> {
  const found = await stat(file);
  // A container runtime creates a directory if the file of a bind mount is missing.
  if (!found.isFile()) {
    throw new StartupError(
      `${file} is not a file. Restore the file from the backup of FLORIN_KEYS (docs/operating/production.md#backups).`,
    );
  }
  if (process.platform !== "win32" && (found.mode & 0o077) !== 0) {
    throw new StartupError(`Other users have access to ${file}. Run: chmod 600 ${file}`);
  }
  const key = await readFile(file);
  if (key.length !== keyBytes) {
    throw new StartupError(
      `${file} must contain a key of ${keyBytes} bytes, but has ${key.length} bytes. Restore the file from the backup of FLORIN_KEYS (docs/operating/production.md#backups).`,
    );
  }
  return key;
}

function isMissing(error: unknown): boolean {
  return hasCode(error, "ENOENT");
}

function isAlreadyThere(error: unknown): boolean {
  return hasCode(error, "EEXIST");
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
