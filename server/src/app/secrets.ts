import type { KeySeal } from "../identity/api-keys/api-key.routes.ts";
import type { HashKey } from "../identity/api-keys/issue-api-key.ts";
import { isLiveKey } from "../identity/api-keys/key-text.ts";
import { type ClientSecrets, openClientSecrets } from "../payments/checkout/client-secret.ts";
import type { DoorKeys } from "../payments/three-d-secure/addresses.ts";
import type { KeyProvider } from "../vault/key-provider.ts";
import { openSecret, sealSecret } from "../vault/seal.ts";

/** Values computed under the key provider's keys, so that a copy of the database is not enough to compute them. */
export type Secrets = {
  readonly hashKey: HashKey;
  /** Encrypts a new API key's text, so that a repeated request can return it. */
  readonly keySeal: KeySeal;
  readonly clientSecrets: ClientSecrets;
  /** Keys that authenticate the 3-D Secure callback URLs. */
  readonly doorKeys: DoorKeys;
  /** Authenticates the notifications of test mode's acquirer. */
  readonly notificationSecret: string;
};

export async function openSecrets(keys: KeyProvider): Promise<Secrets> {
  return {
    hashKey: (key) => keys.mac(isLiveKey(key), Buffer.from(`api_key|${key}`)),
    keySeal: keySeal(keys),
    clientSecrets: openClientSecrets(await keysFor(keys, "client_secrets")),
    doorKeys: await keysFor(keys, "three_d_secure_doors"),
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

function keySeal(keys: KeyProvider): KeySeal {
  const purpose = "api_key";
  return {
    seal: (owner, id, secret) => sealSecret(keys, { owner, id, purpose }, Buffer.from(secret)),
    open: async (owner, id, sealed) =>
      (await openSecret(keys, { owner, id, purpose }, sealed)).toString(),
  };
}
