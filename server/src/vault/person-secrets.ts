import type { PersonSecrets } from "../identity/people/people-deps.ts";
import { type KeptTotp, readTotpWithout, replaceTotp } from "../identity/people/totp.sql.ts";
import type { KeyProvider } from "./key-provider.ts";
import type { SealedPlace } from "./rewrap-secrets.ts";
import { openSecret, type SealedFor, sealSecret } from "./seal.ts";

/** Secrets of team members are encrypted with the keys of live mode, because they protect access to it. */
const livemode = true;

/** Binds the ciphertext to its person. */
function boundTo(person: SealedFor["id"]): SealedFor {
  return { owner: { account: person, livemode }, id: person, purpose: "totp" };
}

export function openPersonSecrets(keys: KeyProvider): PersonSecrets {
  return {
    seal: (person, secret) => sealSecret(keys, boundTo(person), secret),
    open: (person, sealed) => openSecret(keys, boundTo(person), sealed),
    mac: (text) => keys.mac(livemode, Buffer.from(text)),
  };
}

export const totpSecrets: SealedPlace<KeptTotp> = {
  liveOnly: true,
  read: (read, _livemode, beginning, limit) => readTotpWithout(read, beginning, limit),
  to: ({ person }) => boundTo(person),
  replace: replaceTotp,
};
