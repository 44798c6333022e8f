import { type PersonSecrets, totpPurpose } from "../people/people-deps.ts";
import { readTotpWithout, replaceTotp } from "../people/totp.sql.ts";
import type { KeyProvider } from "./key-provider.ts";
import type { SealedPlace } from "./rewrap-secrets.ts";
import { openSecret, type SealedFor, sealSecret } from "./seal.ts";

/** Secrets of people lie with the keys of live mode, which they guard. */
const livemode = true;

/** Bound to their person. */
function boundTo(person: SealedFor["id"], purpose: string): SealedFor {
  return { owner: { account: person, livemode }, id: person, purpose };
}

export function openPersonSecrets(keys: KeyProvider): PersonSecrets {
  return {
    seal: (person, purpose, secret) => sealSecret(keys, boundTo(person, purpose), secret),
    open: (person, purpose, sealed) => openSecret(keys, boundTo(person, purpose), sealed),
    mac: (text) => keys.mac(livemode, Buffer.from(text)),
  };
}

/** Where the secrets of authenticator apps are, for whoever wraps them anew. */
export const totpSecrets: SealedPlace = async (read, world, beginning, limit) => {
  if (world !== livemode) return [];
  return (await readTotpWithout(read, beginning, limit)).map((kept) => ({
    to: boundTo(kept.person, totpPurpose),
    sealed: kept.sealed,
    replace: (tx, fresh) => replaceTotp(tx, kept, fresh),
  }));
};
