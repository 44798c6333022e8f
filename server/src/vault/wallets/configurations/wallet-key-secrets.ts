import assert from "node:assert/strict";
import { generateKeyPair } from "node:crypto";
import type { WalletKeyPurpose } from "@florin/contract/operator-wallets.ts";
import type { AccountId, WalletKeyId } from "../../../core/ids.ts";
import type { Database } from "../../../platform/database/database.ts";
import { decryptSecret, type EncryptionContext, encryptSecret } from "../../envelope-encryption.ts";
import type { KeyProvider } from "../../key-provider.ts";
import type { EncryptedColumn } from "../../rewrap-secrets.ts";
import {
  readPrivateKey,
  readPrivateKeysWithout,
  replacePrivateKey,
  type StoredPrivateKey,
} from "./wallet-key.sql.ts";

/** A key pair in DER. Buffers hold the private key, so that it can be overwritten. */
export type GeneratedKey = {
  /** The SubjectPublicKeyInfo. */
  readonly publicKey: Buffer;
  /** PKCS #8. */
  readonly privateKey: Buffer;
};

/**
 * Generates a key pair: P-256 for the decryption of tokens, and RSA with 2048 bits for Apple's mutual TLS
 * (https://developer.apple.com/help/account/configure-app-capabilities/configure-apple-pay-on-the-web).
 */
export function generateWalletKey(purpose: WalletKeyPurpose): Promise<GeneratedKey> {
  const encodings = {
    publicKeyEncoding: { type: "spki", format: "der" },
    privateKeyEncoding: { type: "pkcs8", format: "der" },
  } as const;
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, publicKey: Buffer, privateKey: Buffer) =>
      error ? reject(error) : resolve({ publicKey, privateKey });
    if (purpose === "payment_processing") {
      generateKeyPair("ec", { namedCurve: "prime256v1", ...encodings }, done);
    } else {
      generateKeyPair("rsa", { modulusLength: 2048, ...encodings }, done);
    }
  });
}

/** The bytes of a P-256 key in PKCS #8 that precede the private scalar. */
const scalarPrefix = Buffer.from(
  "308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420",
  "hex",
);
const scalarLength = 32;
const pointLength = 65;

/**
 * Returns the private scalar of a P-256 key without converting the key to a string, which could not be overwritten. The
 * argument is overwritten.
 */
export function takeScalar(privateKey: Buffer): Buffer {
  const start = scalarPrefix.length;
  assert(
    privateKey.subarray(0, start).equals(scalarPrefix),
    "a key for tokens must be a P-256 key in PKCS #8",
  );
  const scalar = Buffer.from(privateKey.subarray(start, start + scalarLength));
  privateKey.fill(0);
  return scalar;
}

/** Returns the uncompressed point of a P-256 public key. */
export function pointOf(publicKey: Buffer): Buffer {
  return publicKey.subarray(-pointLength);
}

/** Returns the encryption context. Only live mode has wallet keys, so they are encrypted with the keys of live mode. */
function encryptionContextOf(account: AccountId, id: WalletKeyId): EncryptionContext {
  return { scope: { account, livemode: true }, id, purpose: "wallet_key" };
}

/** Encrypts a private key. The argument is overwritten. */
export async function encryptPrivateKey(
  keys: KeyProvider,
  account: AccountId,
  id: WalletKeyId,
  privateKey: Buffer,
): Promise<Buffer> {
  const encrypted = await encryptSecret(keys, encryptionContextOf(account, id), privateKey);
  privateKey.fill(0);
  return encrypted;
}

/**
 * Returns the decrypted private key, or null if it was removed since the keys were listed. The caller must overwrite
 * the result after its use.
 */
export async function readDecryptedKey(
  { database, keys }: { readonly database: Database; readonly keys: KeyProvider },
  account: AccountId,
  id: WalletKeyId,
): Promise<Buffer | null> {
  const encrypted = await readPrivateKey(database.read, account, id);
  return encrypted && decryptSecret(keys, encryptionContextOf(account, id), encrypted);
}

export const walletPrivateKeys: EncryptedColumn<StoredPrivateKey> = {
  liveOnly: true,
  read: (read, _livemode, beginning, limit) => readPrivateKeysWithout(read, beginning, limit),
  to: ({ account, id }) => encryptionContextOf(account, id),
  replace: replacePrivateKey,
};
