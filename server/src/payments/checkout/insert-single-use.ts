import { insertPaymentMethod } from "../../cards/payment-methods/payment-method.sql.ts";
import type { PaymentMethod } from "../../cards/payment-methods/payment-method.ts";
import type { ApiError } from "../../core/api-error.ts";
import type { PaymentMethodId } from "../../core/ids.ts";
import type { Tx } from "../../platform/database/sql.ts";
import type { EncryptedPayer } from "../../vault/vault.ts";
import {
  claimToken,
  type TokenUse,
  type UsedToken,
} from "../../vault/wallets/wallet-token-use.sql.ts";
import { incrementCardCount, readSession } from "../sessions/checkout-session.sql.ts";
import type { CheckoutSession } from "../sessions/checkout-session.ts";
import { notOpen, tooManyCards } from "./rejected-session.ts";
import { rejectedWalletToken } from "./rejected-wallet-token.ts";
import type { SessionDeps } from "./session-deps.ts";

/**
 * Inserts a payment method that can pay for the session only, marks the wallet's token as used in the same transaction,
 * and returns the ID of the payment method. If another request of the same session has already used the token, inserts
 * nothing and returns the payment method of that request.
 */
export function insertSingleUse(
  { charges, vault }: SessionDeps,
  session: CheckoutSession,
  encrypted: EncryptedPayer,
  token: UsedToken | null,
  method: Pick<PaymentMethod, "billingCountry" | "assignmentId" | "card">,
): Promise<PaymentMethodId> {
  const { id } = encrypted;
  return charges.database.transaction(async (tx) => {
    const first = token ? await useToken(tx, session, token, id) : id;
    if (first !== id) return first;
    if (!(await incrementCardCount(tx, session))) throw await cannotAddCard(tx, session);
    await vault.store(tx, encrypted);
    await insertPaymentMethod(tx, {
      ...method,
      id,
      scope: session.scope,
      customerId: null,
      checkoutSessionId: session.id,
      consentedAt: null,
      networkTransactionId: null,
      verificationId: null,
      updateRequired: null,
      metadata: {},
      detachedAt: null,
    });
    return id;
  });
}

/**
 * Marks a wallet's token as used by a new payment method, and returns the ID of the payment method. If another request
 * of the same session has already used the token, returns the payment method of that request. Throws if another session
 * has used the token.
 */
async function useToken(
  tx: Tx,
  session: CheckoutSession,
  token: UsedToken,
  paymentMethodId: PaymentMethodId,
): Promise<PaymentMethodId> {
  const use = { session: session.id, paymentMethodId };
  return methodOf(await claimToken(tx, session.scope, token, use), session);
}

/** Returns the payment method that was created from a token. Throws if another session has used the token. */
export function methodOf(
  { session, paymentMethodId }: TokenUse,
  { id }: CheckoutSession,
): PaymentMethodId {
  if (session !== id) throw rejectedWalletToken("replayed");
  return paymentMethodId;
}

/** Returns the error for a card that cannot be added: the session is not open or has the maximum number of cards. */
async function cannotAddCard(tx: Tx, { scope, id }: CheckoutSession): Promise<ApiError> {
  const session = await readSession(tx, scope, id);
  return session && session.status !== "open" ? notOpen(session) : tooManyCards();
}
