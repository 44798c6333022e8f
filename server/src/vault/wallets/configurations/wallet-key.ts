import { hash } from "node:crypto";
import type { WalletKeyPurpose, WalletKeyStatus } from "@florin/contract/operator-wallets.ts";
import type { DigitalWallet } from "@florin/contract/payment-method.ts";
import type { AccountId, WalletKeyId } from "../../../core/ids.ts";
import { assertTransition, type Transitions } from "../../../core/transitions.ts";

/** An account's key for a wallet, without the private key. */
export type WalletKey = KeyFacts &
  (
    | { readonly status: "pending" }
    | { readonly status: "current"; readonly promotedAt: Date }
    | {
        readonly status: "previous";
        readonly promotedAt: Date;
        /** The time at which the key stops decrypting tokens. A job then deletes it. */
        readonly expiresAt: Date;
      }
  );

export type CurrentKey = Extract<WalletKey, { status: "current" }>;

type KeyFacts = {
  readonly id: WalletKeyId;
  readonly account: AccountId;
  readonly wallet: DigitalWallet;
  readonly purpose: WalletKeyPurpose;
  /** The SubjectPublicKeyInfo. */
  readonly publicKey: Buffer;
  /** The certificate that Apple issued for the key. Null until it is uploaded, and for Google Pay. */
  readonly certificate: StoredCertificate | null;
  readonly version: number;
};

export type StoredCertificate = { readonly der: Buffer; readonly expiresAt: Date };

/**
 * The time for which a replaced key still decrypts tokens. Google requires eight days
 * (https://developers.google.com/pay/api/web/guides/resources/payment-data-cryptography).
 */
const previousKeyLifeMs = 30 * 24 * 60 * 60_000;

/** The maximum number of previous keys. Each decryption of a token may try all of them. */
export const maxPreviousKeys = 3;

export const walletKeyTransitions: Transitions<WalletKeyStatus> = {
  pending: { current: "promoted by an operator" },
  current: { previous: "replaced by another key" },
  previous: {},
};

/** Returns the pending key as the current one. */
export function promoted(key: WalletKey, now: Date): CurrentKey {
  assertTransition(walletKeyTransitions, key.id, key.status, "current");
  return { ...key, status: "current", promotedAt: now };
}

/** Returns the current key as a previous one, which decrypts tokens for a limited time. */
export function replaced(key: CurrentKey, now: Date): WalletKey {
  assertTransition(walletKeyTransitions, key.id, key.status, "previous");
  return { ...key, status: "previous", expiresAt: new Date(now.getTime() + previousKeyLifeMs) };
}

export function currentKey(
  keys: readonly WalletKey[],
  wallet: DigitalWallet,
  purpose: WalletKeyPurpose,
): CurrentKey | null {
  const isCurrent = (key: WalletKey): key is CurrentKey =>
    key.wallet === wallet && key.purpose === purpose && key.status === "current";
  return keys.find(isCurrent) ?? null;
}

/** Returns the current key of the purpose. Returns null if there is none, or if its certificate has expired. */
export function usableKey(
  keys: readonly WalletKey[],
  wallet: DigitalWallet,
  purpose: WalletKeyPurpose,
  now: Date,
): CurrentKey | null {
  const current = currentKey(keys, wallet, purpose);
  return current?.certificate && current.certificate.expiresAt <= now ? null : current;
}

/**
 * Returns the keys that decrypt tokens of the wallet: the current one first, then the previous ones that have not
 * expired.
 */
export function decryptionKeys(
  keys: readonly WalletKey[],
  wallet: DigitalWallet,
  now: Date,
): WalletKey[] {
  const ofWallet = keys.filter(
    (key) => key.wallet === wallet && key.purpose === "payment_processing",
  );
  return [
    ...ofWallet.filter(({ status }) => status === "current"),
    ...ofWallet.filter((key) => key.status === "previous" && now < key.expiresAt),
  ];
}

/** Returns the SHA-256 of a public key or a certificate in hexadecimal digits, by which the audit log names it. */
export function fingerprintOf(der: Buffer): string {
  return hash("sha256", der);
}
