import type { PersonSecrets } from "../identity/people/people-deps.ts";
import { readTotpWithout, replaceTotp, type StoredTotp } from "../identity/people/totp.sql.ts";
import { decryptSecret, type EncryptionContext, encryptSecret } from "./envelope-encryption.ts";
import type { KeyProvider } from "./key-provider.ts";
import type { EncryptedColumn } from "./rewrap-secrets.ts";

/** Users' secrets are encrypted with the keys of live mode, because they protect access to live mode. */
const livemode = true;

/** Returns the encryption context, which binds the ciphertext to its person. */
function boundTo(person: EncryptionContext["id"]): EncryptionContext {
  return { scope: { account: person, livemode }, id: person, purpose: "totp" };
}

export function createPersonSecrets(keys: KeyProvider): PersonSecrets {
  return {
    encrypt: (person, secret) => encryptSecret(keys, boundTo(person), secret),
    decrypt: (person, ciphertext) => decryptSecret(keys, boundTo(person), ciphertext),
    mac: (text) => keys.mac(livemode, Buffer.from(text)),
  };
}

export const totpSecrets: EncryptedColumn<StoredTotp> = {
  liveOnly: true,
  read: (read, _livemode, beginning, limit) => readTotpWithout(read, beginning, limit),
  to: ({ person }) => boundTo(person),
  replace: replaceTotp,
};
