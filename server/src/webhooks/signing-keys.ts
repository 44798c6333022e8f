import type { KeyProvider } from "../vault/key-provider.ts";
import type { SealedPlace } from "../vault/rewrap-secrets.ts";
import { openSecret, type SealedFor, sealSecret } from "../vault/seal.ts";
import { type KeptSecret, readSecretsWithout, replaceSecret } from "./endpoint.sql.ts";
import type { WebhookEndpoint } from "./endpoint.ts";
import { type SigningKey, signingKey } from "./signature.ts";

function sealedFor({ owner, id }: Pick<WebhookEndpoint, "owner" | "id">): SealedFor {
  return { owner, id, purpose: "webhook_secret" };
}

/** The secret as it is kept: under the key provider's seal, bound to its endpoint. */
export function sealSigningSecret(
  keys: KeyProvider,
  endpoint: Pick<WebhookEndpoint, "owner" | "id">,
  secret: string,
): Promise<Buffer> {
  return sealSecret(keys, sealedFor(endpoint), Buffer.from(secret));
}

export async function openSigningSecret(
  keys: KeyProvider,
  endpoint: Pick<WebhookEndpoint, "owner" | "id">,
  sealed: Buffer,
): Promise<string> {
  return (await openSecret(keys, sealedFor(endpoint), sealed)).toString();
}

export const signingSecrets: SealedPlace<KeptSecret> = {
  read: readSecretsWithout,
  to: sealedFor,
  replace: replaceSecret,
};

/** The keys that are valid for an endpoint now, the current one first. */
export type SigningKeys = (endpoint: WebhookEndpoint, now: Date) => Promise<SigningKey[]>;

/** Secrets that are kept open in memory. A KMS answers in milliseconds; thousands of deliveries a second cannot ask it each time. */
const mostOpen = 10_000;

/**
 * Opens secrets once and remembers them by endpoint and sealed bytes, so a rolled secret is another entry and a
 * stale one is never used.
 */
export function openSigningKeys(keys: KeyProvider): SigningKeys {
  const open = new Map<string, Promise<SigningKey>>();

  function opened(endpoint: WebhookEndpoint, sealed: Buffer): Promise<SigningKey> {
    const name = `${endpoint.id} ${sealed.toString("base64")}`;
    const known = open.get(name);
    if (known) return known;
    const opening = openSigningSecret(keys, endpoint, sealed).then(signingKey);
    open.set(name, opening);
    // A failure is not remembered: the key provider may only have been away.
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
