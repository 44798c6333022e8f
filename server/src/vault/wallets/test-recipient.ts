import { createECDH } from "node:crypto";
import { uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { KeyProvider } from "../key-provider.ts";
import type { Recipient } from "./recipient.ts";

/** The recipient of an account's tokens of the test wallet, and the public key to which the wallet encrypts them. */
export type TestRecipient = Recipient & { readonly publicKey: Buffer };

/** A key pair of P-256. */
type KeyPair = {
  /** The private scalar, 32 bytes. */
  readonly privateKey: Buffer;
  /** The public point in the uncompressed form, 65 bytes. */
  readonly publicKey: Buffer;
};

/** Limits the memory that the recipients of many accounts use. */
const maxCached = 10_000;

/**
 * Returns the function that derives an account's recipient. The recipient's key is derived from the HMAC key of the
 * mode's card fingerprints. It is therefore the same in every process and after every restart, and it is not stored.
 */
export function createTestRecipients(keys: KeyProvider): (scope: Scope) => Promise<TestRecipient> {
  const cached = new Map<string, KeyPair>();

  return async ({ account, livemode }) => {
    const place = `${account} ${livemode}`;
    let pair = cached.get(place);
    if (!pair) {
      pair = await deriveKeyPair((attempt) => keys.mac(livemode, message(account, attempt)));
      if (cached.size >= maxCached) cached.clear();
      cached.set(place, pair);
    }
    const { privateKey, publicKey } = pair;
    return { id: recipientIdOf(account), privateKeys: [privateKey], publicKey };
  };
}

function message(account: Scope["account"], attempt: number): Buffer {
  return Buffer.from(`test_wallet_key|${uuidOf(account)}|${attempt}`);
}

/**
 * Derives a key pair from a pseudorandom function. Calls the function again with the next number in the rare case that
 * the result is not a valid scalar (about one in four billion).
 */
async function deriveKeyPair(
  random: (attempt: number) => Promise<Buffer> | Buffer,
): Promise<KeyPair> {
  for (let attempt = 0; ; attempt++) {
    const privateKey = await random(attempt);
    const ecdh = createECDH("prime256v1");
    try {
      ecdh.setPrivateKey(privateKey);
    } catch {
      continue;
    }
    return { privateKey, publicKey: ecdh.getPublicKey() };
  }
}

/** Returns the ID by which the wallet identifies the account. */
function recipientIdOf(account: Scope["account"]): string {
  return `merchant:${account}`;
}
