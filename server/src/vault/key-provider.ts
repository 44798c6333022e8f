/**
 * Holder of the key-encryption keys. AWS KMS (Encrypt, Decrypt, GenerateMac), HashiCorp Vault's transit engine and a
 * local file can all implement these methods, so a key-encryption key need never be in this process.
 *
 * Test and live mode have separate keys. The keys of one mode decrypt nothing of the other.
 */
export type KeyProvider = {
  /** Encrypts a data key under the newest key-encryption key. `unwrap` requires the same `context`. */
  wrap(livemode: boolean, dataKey: Buffer, context: Buffer): Promise<WrappedKey>;
  /** @throws KeyMissing when the key that wrapped it is not there. */
  unwrap(livemode: boolean, wrapped: WrappedKey, context: Buffer): Promise<Buffer>;
  /** HMAC-SHA-256 under a key that is never rotated, because fingerprints must stay comparable. */
  mac(livemode: boolean, message: Buffer): Promise<Buffer>;
  /**
   * Returns whether `mac` made this HMAC. It never creates a key.
   *
   * @throws KeyMissing when there is no key.
   */
  verifyMac(livemode: boolean, message: Buffer, mac: Buffer): Promise<boolean>;
  /** Returns the id of the key that `wrap` uses. Data keys wrapped by another key must be rewrapped. */
  currentKeyId(livemode: boolean): Promise<string>;
};

/** Thrown when a key that existed is missing. */
export class KeyMissing extends Error {
  override name = "KeyMissing";

  constructor(keyId: string, place: string) {
    super(`The key ${keyId} is missing: ${place}`);
  }
}

export type WrappedKey = { readonly keyId: string; readonly wrapped: Buffer };
