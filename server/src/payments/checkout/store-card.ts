import type { StoredCard } from "@florin/contract/frame.ts";
import type { CardNetwork, WalletType } from "@florin/contract/payment-method.ts";
import type { AcceptedCard } from "../../acquiring/accept-card.ts";
import { assertAccepted } from "../../acquiring/find-processor.ts";
import { insertPaymentMethod } from "../../cards/payment-methods/payment-method.sql.ts";
import { ApiError } from "../../core/api-error.ts";
import type { PaymentMethodId } from "../../core/ids.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { claimToken, type UsedToken } from "../../vault/wallets/wallet-token-use.sql.ts";
import { incrementCardCount, readSession } from "../sessions/checkout-session.sql.ts";
import {
  type CheckoutSession,
  maxCardsPerSession,
  statusAt,
} from "../sessions/checkout-session.ts";
import { notOpen } from "./expire-session.ts";
import { rejectedCard } from "./rejected-card.ts";
import { rejectedWalletToken } from "./rejected-wallet-token.ts";
import type { SessionDeps } from "./session-deps.ts";

/** The source of a card: the fields of the form, or a wallet. */
export type CardSource = {
  /** The network that the cardholder chose for a co-badged card. */
  readonly network: CardNetwork | null;
  readonly billingCountry: string | null;
  readonly wallet: { readonly type: WalletType; readonly token: UsedToken } | null;
};

/** Throws if the session is not open, or has the maximum number of cards. */
export function assertTakesCards(session: CheckoutSession, now: Date): void {
  const status = statusAt(session, now);
  if (status !== "open") throw notOpen({ id: session.id, status });
  if (session.cardCount >= maxCardsPerSession) throw tooManyCards();
}

/**
 * Stores an accepted card in the vault as a payment method that can pay for the session only. A wallet's token is used
 * in the same transaction. If the session has already used the token, returns the payment method of that use, so that a
 * browser that did not receive the response can repeat the request.
 */
export async function storeCard(
  { charges, vault }: SessionDeps,
  session: CheckoutSession,
  card: AcceptedCard,
  { network: preferred, billingCountry, wallet }: CardSource,
): Promise<StoredCard> {
  const { scope } = session;
  // Rejects the card if the account cannot charge it, for example because it is suspended or live mode has no acquirer.
  await assertAccepted(charges, scope, session.price);
  if (preferred && !card.networks.includes(preferred)) throw notOnTheCard(preferred);
  const networks = { available: card.networks, preferred };
  const isPossible = charges.acquirers.accepts(scope, session.price, {
    networks,
    country: card.country,
    isNetworkToken: card.credentials.networkToken !== undefined,
  });
  if (!isPossible) throw rejectedCard("card_not_supported");
  const encryptedCard = await vault.encryptCard(scope, card);
  const { id, brand, last4 } = encryptedCard;
  await vault.keepCodeOfNewCard(encryptedCard, session.id);
  const stored = await charges.database.transaction(async (tx) => {
    const earlier = wallet && (await useToken(tx, session, wallet.token, id));
    if (earlier) return earlier;
    if (!(await incrementCardCount(tx, session))) throw await cannotAddCard(tx, session);
    await vault.store(tx, encryptedCard);
    await insertPaymentMethod(tx, {
      id,
      scope,
      customerId: null,
      checkoutSessionId: session.id,
      consentedAt: null,
      networkTransactionId: null,
      updateRequired: null,
      billingCountry,
      card: {
        brand,
        last4,
        exp_month: encryptedCard.expMonth,
        exp_year: encryptedCard.expYear,
        funding: card.funding,
        country: card.country,
        networks,
        fingerprint: encryptedCard.fingerprint,
        ...(wallet && { wallet: wallet.type }),
      },
      metadata: {},
      detachedAt: null,
    });
    return id;
  });
  return { payment_method_id: stored, card: { brand, last4 } };
}

/**
 * Uses a wallet's token for a new payment method. Returns the payment method of an earlier use by the same session, or
 * null. Throws if another session has used the token.
 */
async function useToken(
  tx: Tx,
  { scope, id: session }: CheckoutSession,
  token: UsedToken,
  paymentMethodId: PaymentMethodId,
): Promise<PaymentMethodId | null> {
  const first = await claimToken(tx, scope, token, { session, paymentMethodId });
  if (first.session !== session) throw rejectedWalletToken("replayed");
  return first.paymentMethodId === paymentMethodId ? null : first.paymentMethodId;
}

/** Returns the error for a card that cannot be added: the session is not open or has the maximum number of cards. */
async function cannotAddCard(tx: Tx, { scope, id }: CheckoutSession): Promise<ApiError> {
  const session = await readSession(tx, scope, id);
  return session && session.status !== "open" ? notOpen(session) : tooManyCards();
}

function tooManyCards(): ApiError {
  return new ApiError(
    "session_max_cards",
    `A checkout session accepts at most ${maxCardsPerSession} cards. Create a new session.`,
    { param: "checkout_session_id" },
  );
}

function notOnTheCard(network: string): ApiError {
  return new ApiError(
    "parameter_invalid",
    `\`network\` must be one of the card's networks. Got '${network}'.`,
    {
      param: "network",
    },
  );
}
