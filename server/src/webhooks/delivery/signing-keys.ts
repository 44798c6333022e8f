import {
  decryptSecret,
  type EncryptionContext,
  encryptSecret,
} from "../../vault/envelope-encryption.ts";
import type { KeyProvider } from "../../vault/key-provider.ts";
import type { EncryptedColumn } from "../../vault/rewrap-secrets.ts";
import { readSecretsWithout, replaceSecret, type StoredSecret } from "./endpoint.sql.ts";
import type { WebhookEndpoint } from "./endpoint.ts";
import { type SigningKey, signingKey } from "./signature.ts";

function encryptionContextOf({
  scope,
  id,
}: Pick<WebhookEndpoint, "scope" | "id">): EncryptionContext {
  return { scope, id, purpose: "webhook_secret" };
}

/** Encrypts a secret with the key provider. The ciphertext is bound to the endpoint. */
export function encryptSigningSecret(
  keys: KeyProvider,
  endpoint: Pick<WebhookEndpoint, "scope" | "id">,
  secret: string,
): Promise<Buffer> {
  return encryptSecret(keys, encryptionContextOf(endpoint), Buffer.from(secret));
}

export async function decryptSigningSecret(
  keys: KeyProvider,
  endpoint: Pick<WebhookEndpoint, "scope" | "id">,
  ciphertext: Buffer,
): Promise<string> {
  return (await decryptSecret(keys, encryptionContextOf(endpoint), ciphertext)).toString();
}

export const signingSecrets: EncryptedColumn<StoredSecret> = {
  read: readSecretsWithout,
  to: encryptionContextOf,
  replace: replaceSecret,
};

/** Returns the valid keys of an endpoint, the current one first. */
export type SigningKeys = (endpoint: WebhookEndpoint, now: Date) => Promise<SigningKey[]>;

/**
 * The maximum number of decrypted secrets in memory. A call to a KMS takes milliseconds, too long for thousands of
 * deliveries a second.
 */
const maxCached = 10_000;

/**
 * Decrypts each secret once and caches it by endpoint and ciphertext. A rolled secret has another ciphertext, so a
 * stale secret is never used.
 */
export function createSigningKeyCache(keys: KeyProvider): SigningKeys {
  const cache = new Map<string, Promise<SigningKey>>();

  function decryptOnce(endpoint: WebhookEndpoint, ciphertext: Buffer): Promise<SigningKey> {
    const name = `${endpoint.id} ${ciphertext.toString("base64")}`;
    const cached = cache.get(name);
    if (cached) return cached;
    const decryption = decryptSigningSecret(keys, endpoint, ciphertext).then(signingKey);
    cache.set(name, decryption);
    // A failure is not cached, because the key provider may be unavailable for a short time only.
    decryption.catch(() => cache.delete(name));
    if (cache.size > maxCached) cache.delete(cache.keys().next().value as string);
    return decryption;
  }

  return (endpoint, now) => {
    const { current, previous } = endpoint.secrets;
    const ciphertexts = [current];
    if (previous && previous.expiresAt > now) ciphertexts.push(previous.ciphertext);
    return Promise.all(ciphertexts.map((ciphertext) => decryptOnce(endpoint, ciphertext)));
  };
}
