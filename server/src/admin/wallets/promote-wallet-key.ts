import { changedSince } from "../../acquiring/connections/change-connection.ts";
import { ApiError } from "../../core/api-error.ts";
import type { Tx } from "../../platform/database/sql.ts";
import {
  deleteKey,
  listKeys,
  updateKey,
} from "../../vault/wallets/configurations/wallet-key.sql.ts";
import {
  type CurrentKey,
  maxPreviousKeys,
  promoted,
  replaced,
  type WalletKey,
} from "../../vault/wallets/configurations/wallet-key.ts";

/** The activated key, and the one that it replaced. */
export type Promotion = { readonly key: CurrentKey; readonly previous: WalletKey | null };

/**
 * Activates a pending key. The current key of the same purpose decrypts tokens for another 30 days. A key for mutual
 * TLS is deleted instead, because nothing was encrypted to it.
 */
export async function promoteKey(tx: Tx, key: WalletKey, now: Date): Promise<Promotion> {
  if (key.wallet === "apple_pay" && !key.certificate) {
    throw new ApiError(
      "status_transition_invalid",
      "The key has no certificate. Upload the certificate that Apple issued for it first.",
    );
  }
  if (key.certificate && key.certificate.expiresAt <= now) {
    throw new ApiError(
      "status_transition_invalid",
      "The key's certificate has expired. Upload a new certificate from Apple first.",
    );
  }
  const after = promoted(key, now);
  const others = (await listKeys(tx, key.account)).filter(
    (one) => one.wallet === key.wallet && one.purpose === key.purpose && one.id !== key.id,
  );
  const before = others.find((one): one is CurrentKey => one.status === "current") ?? null;
  const previousCount = others.filter(({ status }) => status === "previous").length;
  if (before && previousCount >= maxPreviousKeys) {
    throw new ApiError(
      "status_transition_invalid",
      `The wallet has ${maxPreviousKeys} previous keys. Remove one of them first.`,
    );
  }
  const previous = before && (await retire(tx, before, now));
  if (!(await updateKey(tx, key, after))) throw changedSince("wallet key");
  return { key: after, previous };
}

async function retire(tx: Tx, current: CurrentKey, now: Date): Promise<WalletKey> {
  if (current.purpose === "merchant_identity") {
    if (!(await deleteKey(tx, current))) throw changedSince("wallet key");
    return current;
  }
  const previous = replaced(current, now);
  if (!(await updateKey(tx, current, previous))) throw changedSince("wallet key");
  return previous;
}
