import type { StoredCard } from "@florin/contract/frame.ts";
import type { CardNetwork, WalletType } from "@florin/contract/payment-method.ts";
import type { AcceptedCard } from "../../acquiring/accept-card.ts";
import { assertAccepted, assertVerifiable, gatewayClosed } from "../../acquiring/find-processor.ts";
import { gatewayCard } from "../../acquiring/routing/routed-payment.ts";
import { insertPaymentMethod } from "../../cards/payment-methods/payment-method.sql.ts";
import type { PaymentMethod } from "../../cards/payment-methods/payment-method.ts";
import { ApiError } from "../../core/api-error.ts";
import { type PaymentMethodId, parseId } from "../../core/ids.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { GatewayToken, type PayerDetails, type TokenSource } from "../../vault/card-number.ts";
import type { EncryptedPayer } from "../../vault/vault.ts";
import {
  claimToken,
  findTokenUse,
  type TokenUse,
  type UsedToken,
} from "../../vault/wallets/wallet-token-use.sql.ts";
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
  deps: SessionDeps,
  session: CheckoutSession,
  card: AcceptedCard,
  { network: preferred, billingCountry, wallet }: CardSource,
): Promise<StoredCard> {
  const { charges, vault } = deps;
  const { scope } = session;
  // A repeated token is not counted as a card of the session. Its card is therefore not encrypted, and its cryptogram
  // is not kept. Otherwise a browser that repeats a token could displace the security codes of other customers.
  const earlier =
    wallet && (await findTokenUse(charges.database.read, scope, wallet.token.tokenId));
  if (earlier) return storedCard(methodOf(earlier, session), card);
  // Rejects the card if the account cannot charge it, for example because it is suspended or live mode has no acquirer.
  if (session.mode === "setup") await assertVerifiable(charges, scope, session.price.currency);
  else await assertAccepted(charges, scope, session.price);
  if (preferred && !card.networks.includes(preferred)) throw notOnTheCard(preferred);
  const networks = { available: card.networks, preferred };
  const { price } = session;
  const isNetworkToken = card.credentials.networkToken !== undefined;
  const routed = { networks, country: card.country, isNetworkToken };
  const isPossible =
    session.mode === "setup"
      ? charges.acquirers.chooseVerifier(scope, price.currency, routed)
      : charges.acquirers.accepts(scope, price, routed);
  if (!isPossible) throw rejectedCard("card_not_supported");
  const encryptedCard = await vault.encryptCard(scope, card);
  await vault.keepCodeOfNewCard(encryptedCard, session.id);
  const stored = await insertSingleUse(deps, session, encryptedCard, wallet?.token ?? null, {
    billingCountry,
    assignmentId: null,
    card: {
      brand: encryptedCard.brand,
      last4: encryptedCard.last4,
      exp_month: encryptedCard.expMonth,
      exp_year: encryptedCard.expYear,
      funding: card.funding,
      country: card.country,
      networks,
      fingerprint: encryptedCard.fingerprint,
      ...(wallet && { wallet: wallet.type }),
    },
  });
  return storedCard(stored, card);
}

/** A wallet's token that only the acquirer of an assignment can decrypt, as the card form sends it. */
export type GatewayTokenSource = {
  readonly wallet: TokenSource;
  /** The ID of the assignment, which may not exist. */
  readonly assignment: string;
  readonly token: string;
  readonly payer: PayerDetails;
};

/** The time for which a used token is remembered. Google Pay's tokens are valid for seven days. */
const tokenLifeMs = 8 * 24 * 60 * 60 * 1000;

/**
 * Stores a wallet's token that only an acquirer can decrypt as a payment method that can pay for the session only, over
 * the token's assignment only. The token is kept in memory. The error is the same for an assignment that does not exist,
 * that has ended, and that belongs to another account.
 */
export async function storeGatewayToken(
  deps: SessionDeps,
  session: CheckoutSession,
  { wallet, assignment: text, token, payer }: GatewayTokenSource,
): Promise<StoredCard> {
  const { charges, vault, wallets } = deps;
  const { scope, price } = session;
  await assertAccepted(charges, scope, price);
  const assignmentId = parseId("asg", text);
  const isOffered = assignmentId !== null && (await wallets.acceptsGatewayTokens(scope, wallet));
  if (!isOffered) throw gatewayClosed("assignment");
  const found = charges.acquirers.readGatewayToken(scope, {
    assignment: assignmentId,
    wallet,
    price,
    token,
  });
  if (found === "no_gateway") throw gatewayClosed("assignment");
  if (found === null) throw rejectedWalletToken("malformed");
  const expiresAt = new Date(charges.clock.now().getTime() + tokenLifeMs);
  const used = { tokenId: found.id, expiresAt };
  // A repeated token is not kept again, so that it is charged only once.
  const earlier = await findTokenUse(charges.database.read, scope, used.tokenId);
  if (earlier) return storedToken(methodOf(earlier, session));
  const encrypted = await vault.encryptPayer(scope, payer);
  const { id } = encrypted;
  await vault.keepGatewayToken({ scope, id, session: session.id }, new GatewayToken(found.text));
  const { networks, country } = gatewayCard(wallet);
  const stored = await insertSingleUse(deps, session, encrypted, used, {
    billingCountry: payer.holder?.country ?? null,
    assignmentId,
    card: {
      brand: "unknown",
      last4: null,
      exp_month: null,
      exp_year: null,
      funding: "unknown",
      country,
      networks: { available: [...networks.available], preferred: networks.preferred },
      fingerprint: null,
      wallet,
    },
  });
  return storedToken(stored);
}

/**
 * Inserts a payment method that can pay for the session only, and uses the wallet's token in the same transaction.
 * Returns the payment method of the token's first use, which differs if a concurrent request of the same session has
 * used the token.
 */
function insertSingleUse(
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

function storedToken(id: PaymentMethodId): StoredCard {
  return { payment_method_id: id, card: { brand: "unknown", last4: null } };
}

function storedCard(id: PaymentMethodId, { brand, credentials }: AcceptedCard): StoredCard {
  return { payment_method_id: id, card: { brand, last4: credentials.number.last4 } };
}

/**
 * Uses a wallet's token for a new payment method. Returns the payment method of the first use, which differs if a
 * concurrent request of the same session has used the token. Throws if another session has used it.
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
function methodOf(
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
