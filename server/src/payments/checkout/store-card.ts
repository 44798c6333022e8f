import type { StoredCard } from "@florin/contract/frame.ts";
import type { CardNetwork, WalletType } from "@florin/contract/payment-method.ts";
import type { AcceptedCard } from "../../acquiring/accept-card.ts";
import { assertAccepted, assertVerifiable } from "../../acquiring/find-processor.ts";
import { ApiError } from "../../core/api-error.ts";
import type { PaymentMethodId } from "../../core/ids.ts";
import { findTokenUse, type UsedToken } from "../../vault/wallets/wallet-token-use.sql.ts";
import type { CheckoutSession } from "../sessions/checkout-session.ts";
import { insertSingleUse, methodOf } from "./insert-single-use.ts";
import { rejectedCard } from "./rejected-card.ts";
import type { SessionDeps } from "./session-deps.ts";

/** The source of a card: the fields of the form, or a wallet. */
export type CardSource = {
  /** The network that the cardholder chose for a co-badged card. */
  readonly network: CardNetwork | null;
  readonly billingCountry: string | null;
  readonly wallet: { readonly type: WalletType; readonly token: UsedToken } | null;
};

/**
 * Stores an accepted card in the vault as a payment method that can pay for the session only. A wallet's token is
 * marked as used in the same transaction. If the session has already used the token, returns the payment method of that
 * use, so that a browser that did not receive the response can repeat the request.
 */
export async function storeCard(
  deps: SessionDeps,
  session: CheckoutSession,
  card: AcceptedCard,
  { network: preferred, billingCountry, wallet }: CardSource,
): Promise<StoredCard> {
  const { charges, vault } = deps;
  const { scope } = session;
  // A repeated token does not count toward the session's maximum of cards. Its card is therefore not encrypted again,
  // and its cryptogram is not kept. Otherwise a browser that repeats a token without limit could displace the security
  // codes of other customers from memory.
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

function storedCard(id: PaymentMethodId, { brand, credentials }: AcceptedCard): StoredCard {
  return { payment_method_id: id, card: { brand, last4: credentials.number.last4 } };
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
