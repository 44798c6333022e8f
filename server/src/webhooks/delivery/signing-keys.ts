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
  owner,
  id,
}: Pick<WebhookEndpoint, "owner" | "id">): EncryptionContext {
  return { owner, id, purpose: "webhook_secret" };
}

/** Encrypts a secret for storage with the key provider, bound to its endpoint. */
export function encryptSigningSecret(
  keys: KeyProvider,
  endpoint: Pick<WebhookEndpoint, "owner" | "id">,
  secret: string,
): Promise<Buffer> {
  return encryptSecret(keys, encryptionContextOf(endpoint), Buffer.from(secret));
}

export async function decryptSigningSecret(
  keys: KeyProvider,
  endpoint: Pick<WebhookEndpoint, "owner" | "id">,
  sealed: Buffer,
): Promise<string> {
  return (await decryptSecret(keys, encryptionContextOf(endpoint), sealed)).toString();
}

export const signingSecrets: EncryptedColumn<StoredSecret> = {
  read: readSecretsWithout,
  to: encryptionContextOf,
  replace: replaceSecret,
};

/** Returns the valid keys of an endpoint, the current one first. */
export type SigningKeys = (endpoint: WebhookEndpoint, now: Date) => Promise<SigningKey[]>;

/**
 * The number of decrypted secrets in memory. A KMS takes milliseconds, too long for each of thousands of deliveries a
 * second.
 */
const mostOpen = 10_000;

/**
 * Decrypts each secret once and caches it by endpoint and encrypted bytes. A rolled secret is another entry, so a
 * stale one is never used.
 */
export function createSigningKeyCache(keys: KeyProvider): SigningKeys {
  const open = new Map<string, Promise<SigningKey>>();

  function opened(endpoint: WebhookEndpoint, sealed: Buffer): Promise<SigningKey> {
    const name = `${endpoint.id} ${sealed.toString("base64")}`;
    const known = open.get(name);
    if (known) return known;
    const opening = decryptSigningSecret(keys, endpoint, sealed).then(signingKey);
    open.set(name, opening);
    // A failure is not cached, because the key provider may be unavailable for a short time only.
    opening.catch(() => open.delete(name));
    if (open.size > mostOpen) open.delete(open.keys().next().value as string);
    return opening;
  }

  return (endpoint, now) => {
    const { current, previous } = endpoint.secrets;
    const sealed = [current];
    if (previous && previous.expiresAt > now) sealed.push(previous.sealed);
    return Promise.all(sealed.map((bytes) => opened(endpoint, bytes)));
  };
}
