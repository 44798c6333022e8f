/**
 * Holds the key-encryption keys. AWS KMS (Encrypt, Decrypt, GenerateMac), HashiCorp Vault's transit engine and local
 * files can implement this interface, so this process need not hold the keys.
 *
 * Test and live mode have separate keys. The keys of one mode cannot decrypt data of the other.
 */
export type KeyProvider = {
  /** Encrypts a data key under the newest key-encryption key. `unwrap` requires the same `context`. */
  wrap(livemode: boolean, dataKey: Buffer, context: Buffer): Promise<WrappedKey>;
  /**
   * Decrypts a data key.
   *
   * @throws KeyMissing if the key that wrapped it does not exist.
   */
  unwrap(livemode: boolean, wrapped: WrappedKey, context: Buffer): Promise<Buffer>;
  /** Returns an HMAC-SHA-256. Its key is never rotated, because card fingerprints must stay comparable. */
  mac(livemode: boolean, message: Buffer): Promise<Buffer>;
  /**
   * Returns whether the HMAC is correct for the message. Unlike `mac()`, does not create a key.
   *
   * @throws KeyMissing if there is no key.
   */
  verifyMac(livemode: boolean, message: Buffer, mac: Buffer): Promise<boolean>;
  /** Returns the ID of the key that `wrap` uses. */
  currentKeyId(livemode: boolean): Promise<string>;
};

/** Thrown if a key that must exist is missing. */
export class KeyMissing extends Error {
  override name = "KeyMissing";

  constructor(keyId: string, place: string) {
    super(`The key ${keyId} is missing: ${place}`);
  }
}

export type WrappedKey = { readonly keyId: string; readonly wrapped: Buffer };
