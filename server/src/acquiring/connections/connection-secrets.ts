import { inspect } from "node:util";
import { equalsInConstantTime } from "../../core/equals-in-constant-time.ts";
import type { ConnectionId } from "../../core/ids.ts";
import {
  decryptSecret,
  type EncryptionContext,
  encryptSecret,
} from "../../vault/envelope-encryption.ts";
import type { KeyProvider } from "../../vault/key-provider.ts";
import type { EncryptedColumn } from "../../vault/rewrap-secrets.ts";
import { readSecretsWithout, replaceSecrets, type StoredSecrets } from "./connection.sql.ts";

/**
 * A secret that an acquirer issued. It cannot be printed by accident: logging, inspecting, interpolating and
 * serializing it return dots.
 */
export class AcquirerSecret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /**
   * Returns the secret. Call it only to validate or encrypt it, to send a request to the acquirer, or to verify a
   * notification.
   */
  reveal(): string {
    return this.#text;
  }

  /** Compares the secrets in constant time, because the other secret may be a guess. */
  equals(other: AcquirerSecret): boolean {
    return equalsInConstantTime(other.#text, this.#text);
  }

  toString(): string {
    return "••••";
  }

  toJSON(): string {
    return this.toString();
  }

  [inspect.custom](): string {
    return "AcquirerSecret(••••)";
  }
}

/** The secrets of a connection. */
export type ConnectionSecrets = {
  /** Authenticates our requests to the acquirer. */
  readonly apiKey: AcquirerSecret;
  /** Authenticates the acquirer's notifications, in the acquirer's own format. */
  readonly hmacKey: AcquirerSecret;
};

/**
 * Returns the encryption context, which binds the ciphertext to its connection. Connections serve live mode only, so
 * the keys of live mode encrypt their secrets.
 */
export function encryptionContextOf(id: ConnectionId): EncryptionContext {
  return { scope: { account: id, livemode: true }, id, purpose: "connection" };
}

export function encryptConnectionSecrets(
  keys: KeyProvider,
  id: ConnectionId,
  { apiKey, hmacKey }: ConnectionSecrets,
): Promise<Buffer> {
  const text = JSON.stringify({ api_key: apiKey.reveal(), hmac_key: hmacKey.reveal() });
  return encryptSecret(keys, encryptionContextOf(id), Buffer.from(text));
}

export async function decryptConnectionSecrets(
  keys: KeyProvider,
  id: ConnectionId,
  ciphertext: Buffer,
): Promise<ConnectionSecrets> {
  const bytes = await decryptSecret(keys, encryptionContextOf(id), ciphertext);
  const stored: { api_key: string; hmac_key: string } = JSON.parse(bytes.toString());
  return {
    apiKey: new AcquirerSecret(stored.api_key),
    hmacKey: new AcquirerSecret(stored.hmac_key),
  };
}

export const connectionSecrets: EncryptedColumn<StoredSecrets> = {
  liveOnly: true,
  read: (read, _livemode, beginning, limit) => readSecretsWithout(read, beginning, limit),
  to: ({ id }) => encryptionContextOf(id),
  replace: replaceSecrets,
};
