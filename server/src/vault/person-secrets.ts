import type { PersonSecrets } from "../people/people-deps.ts";
import type { KeyProvider } from "./key-provider.ts";
import { openSecret, type SealedFor, sealSecret } from "./seal.ts";

/** Secrets of people lie with the keys of live mode, which they guard, and are bound to their person. */
export function openPersonSecrets(keys: KeyProvider): PersonSecrets {
  const livemode = true;
  const boundTo = (person: SealedFor["id"], purpose: string): SealedFor => ({
    owner: { account: person, livemode },
    id: person,
    purpose,
  });
  return {
    seal: (person, purpose, secret) => sealSecret(keys, boundTo(person, purpose), secret),
    open: (person, purpose, sealed) => openSecret(keys, boundTo(person, purpose), sealed),
    mac: (text) => keys.mac(livemode, Buffer.from(text)),
  };
}
