import { randomBytes } from "node:crypto";
import type { Id } from "../core/ids.ts";
import { uuidOf } from "../core/ids.ts";
import { DecryptionFailed, decrypt, encrypt } from "./aes-gcm.ts";
import type { KeyProvider, WrappedKey } from "./key-provider.ts";

/**
 * The encryption context, which is authenticated with the ciphertext. A ciphertext that is copied to another account,
 * mode, ID or purpose cannot be decrypted there.
 */
export type EncryptionContext = {
  /** The owner of the data (an account, a person or a connection), and the mode whose keys are used. */
  readonly scope: { readonly account: Id<string>; readonly livemode: boolean };
  readonly id: Id<string>;
  /** The purpose of the secret, such as `card` or `webhook_secret`. */
  readonly purpose: string;
};

/** Data encrypted under a separate data key, which the key provider has wrapped (envelope encryption). */
export type EncryptedData = WrappedKey & { readonly ciphertext: Buffer };

export async function encryptEnvelope(
  keys: KeyProvider,
  to: EncryptionContext,
  plain: Buffer,
): Promise<EncryptedData> {
  const dataKey = randomBytes(32);
  const boundTo = binding(to);
  const { keyId, wrapped } = await keys.wrap(to.scope.livemode, dataKey, boundTo);
  const ciphertext = encrypt(dataKey, plain, boundTo);
  dataKey.fill(0);
  return { keyId, wrapped, ciphertext };
}

export async function decryptEnvelope(
  keys: KeyProvider,
  to: EncryptionContext,
  encrypted: EncryptedData,
): Promise<Buffer> {
  const boundTo = binding(to);
  const dataKey = await keys.unwrap(to.scope.livemode, encrypted, boundTo);
  return decrypt(dataKey, encrypted.ciphertext, boundTo);
}

/** Wraps the data key under the current key-encryption key. The encrypted data does not change. */
export async function rewrap(
  keys: KeyProvider,
  to: EncryptionContext,
  old: WrappedKey,
): Promise<WrappedKey> {
  const boundTo = binding(to);
  const dataKey = await keys.unwrap(to.scope.livemode, old, boundTo);
  return keys.wrap(to.scope.livemode, dataKey, boundTo);
}

function binding({ scope, id, purpose }: EncryptionContext): Buffer {
  const mode = scope.livemode ? "live" : "test";
  // No part can contain the separator. The parts are UUIDs, a constant purpose and the name of a mode.
  return Buffer.from(`florin.v1|${purpose}|${mode}|${uuidOf(scope.account)}|${uuidOf(id)}`);
}

/**
 * Encrypts a secret for one database column. The format is `version ‖ length, key ID ‖ length, wrapped key ‖
 * ciphertext`.
 */
export async function encryptSecret(
  keys: KeyProvider,
  to: EncryptionContext,
  plain: Buffer,
): Promise<Buffer> {
  return pack(await encryptEnvelope(keys, to, plain));
}

export async function decryptSecret(
  keys: KeyProvider,
  to: EncryptionContext,
  packed: Buffer,
): Promise<Buffer> {
  return decryptEnvelope(keys, to, unpack(packed));
}

/** Rewraps the secret's data key under the current key-encryption key. The secret is not decrypted. */
export async function rewrapSecret(
  keys: KeyProvider,
  to: EncryptionContext,
  packed: Buffer,
): Promise<Buffer> {
  const { ciphertext, ...old } = unpack(packed);
  return pack({ ...(await rewrap(keys, to, old)), ciphertext });
}

/** Returns the prefix of every secret that is encrypted under this key-encryption key. */
export function secretsBeginWith(keyId: string): Buffer {
  return Buffer.concat([Buffer.of(secretVersion), withLength(Buffer.from(keyId))]);
}

const secretVersion = 1;

function pack({ keyId, wrapped, ciphertext }: EncryptedData): Buffer {
  return Buffer.concat([secretsBeginWith(keyId), withLength(wrapped), ciphertext]);
}

function unpack(packed: Buffer): EncryptedData {
  if (packed[0] !== secretVersion) throw new DecryptionFailed();
  const [keyId, afterKeyId] = takeWithLength(packed, 1);
  const [wrapped, afterWrapped] = takeWithLength(packed, afterKeyId);
  return { keyId: keyId.toString(), wrapped, ciphertext: packed.subarray(afterWrapped) };
}

function withLength(bytes: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function takeWithLength(packed: Buffer, offset: number): [Buffer, number] {
  if (offset + 2 > packed.length) throw new DecryptionFailed();
  const end = offset + 2 + packed.readUInt16BE(offset);
  if (end > packed.length) throw new DecryptionFailed();
  return [packed.subarray(offset + 2, end), end];
}
