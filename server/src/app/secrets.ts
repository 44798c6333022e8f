import type { KeySeal } from "../api-keys/api-key.routes.ts";
import type { HashKey } from "../api-keys/issue-api-key.ts";
import { isLiveKey } from "../api-keys/key-text.ts";
import { type ClientSecrets, openClientSecrets } from "../checkout-sessions/client-secret.ts";
import type { DoorKeys } from "../three-d-secure/addresses.ts";
import type { KeyProvider } from "../vault/key-provider.ts";
import { openSecret, sealSecret } from "../vault/seal.ts";

/** What is computed under the key provider's keys, so that a copy of the database is not enough to compute it. */
export type Secrets = {
  readonly hashKey: HashKey;
  /** Keeps a key's text for a repeated request. */
  readonly keySeal: KeySeal;
  readonly clientSecrets: ClientSecrets;
  /** For the addresses at which the card world comes back to an authentication. */
  readonly doorKeys: DoorKeys;
};

export async function openSecrets(keys: KeyProvider): Promise<Secrets> {
  return {
    hashKey: (key) => keys.mac(isLiveKey(key), Buffer.from(`api_key|${key}`)),
    keySeal: keySeal(keys),
    clientSecrets: openClientSecrets(await keysFor(keys, "client_secrets")),
    doorKeys: await keysFor(keys, "three_d_secure_doors"),
  };
}

/** A key for one purpose alone, in each mode. */
async function keysFor(
  keys: KeyProvider,
  purpose: string,
): Promise<{ test: Buffer; live: Buffer }> {
  return {
    test: await keys.mac(false, Buffer.from(purpose)),
    live: await keys.mac(true, Buffer.from(purpose)),
  };
}

function keySeal(keys: KeyProvider): KeySeal {
  const purpose = "api_key";
  return {
    seal: (owner, id, secret) => sealSecret(keys, { owner, id, purpose }, Buffer.from(secret)),
    open: async (owner, id, sealed) =>
      (await openSecret(keys, { owner, id, purpose }, sealed)).toString(),
  };
}
