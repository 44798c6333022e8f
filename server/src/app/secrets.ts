import type { KeyEncryption } from "../identity/api-keys/api-key.routes.ts";
import type { HashKey } from "../identity/api-keys/issue-api-key.ts";
import { isLiveKey } from "../identity/api-keys/key-text.ts";
import { type ClientSecrets, createClientSecrets } from "../payments/sessions/client-secret.ts";
import type { CallbackKeys } from "../payments/three-d-secure/callback-urls.ts";
import { decryptSecret, encryptSecret } from "../vault/envelope-encryption.ts";
import type { KeyProvider } from "../vault/key-provider.ts";

/**
 * The values that are computed with keys of the key provider. They cannot be computed from a copy of the database
 * alone.
 */
export type Secrets = {
  readonly hashKey: HashKey;
  /** Encrypts a new API key's text, so that a repeated request can return it. */
  readonly keyEncryption: KeyEncryption;
  readonly clientSecrets: ClientSecrets;
  /** Keys that authenticate the 3-D Secure callback URLs. */
  readonly callbackKeys: CallbackKeys;
  /** The key from which the idempotency keys of live acquirers are derived. */
  readonly idempotencySecret: Buffer;
  /** Authenticates the notifications of test mode's acquirer. */
  readonly notificationSecret: string;
};

export async function createSecrets(keys: KeyProvider): Promise<Secrets> {
  return {
    hashKey: (key) => keys.mac(isLiveKey(key), Buffer.from(`api_key|${key}`)),
    keyEncryption: keyEncryption(keys),
    clientSecrets: createClientSecrets(await keysFor(keys, "client_secrets")),
    callbackKeys: await keysFor(keys, "three_d_secure_doors"),
    idempotencySecret: await keys.mac(true, Buffer.from("acquirer_idempotency")),
    notificationSecret: (await keys.mac(false, Buffer.from("simulator_notifications"))).toString(
      "base64url",
    ),
  };
}

/** Derives one key per mode for a single purpose. */
async function keysFor(
  keys: KeyProvider,
  purpose: string,
): Promise<{ test: Buffer; live: Buffer }> {
  return {
    test: await keys.mac(false, Buffer.from(purpose)),
    live: await keys.mac(true, Buffer.from(purpose)),
  };
}

function keyEncryption(keys: KeyProvider): KeyEncryption {
  const purpose = "api_key";
  return {
    encrypt: (scope, id, secret) =>
      encryptSecret(keys, { scope, id, purpose }, Buffer.from(secret)),
    decrypt: async (scope, id, ciphertext) =>
      (await decryptSecret(keys, { scope, id, purpose }, ciphertext)).toString(),
  };
}
