import type { StoredCard } from "@florin/contract/frame.ts";
import type { DigitalWallet } from "@florin/contract/payment-method.ts";
import { assertAccepted, gatewayClosed } from "../../acquiring/find-processor.ts";
import { gatewayCard } from "../../acquiring/routing/routed-payment.ts";
import { type PaymentMethodId, parseId } from "../../core/ids.ts";
import { GatewayToken, type PayerDetails } from "../../vault/card-number.ts";
import { findTokenUse } from "../../vault/wallets/wallet-token-use.sql.ts";
import type { CheckoutSession } from "../sessions/checkout-session.ts";
import { insertSingleUse, methodOf } from "./insert-single-use.ts";
import { rejectedWalletToken } from "./rejected-wallet-token.ts";
import type { SessionDeps } from "./session-deps.ts";

/** A wallet's token that only the acquirer of an assignment can decrypt, as the card form sends it. */
type GatewayTokenSource = {
  readonly wallet: DigitalWallet;
  /** The ID of the assignment, which may not exist. */
  readonly assignment: string;
  readonly token: string;
  readonly payer: PayerDetails;
};

/** The time for which a used token is remembered. Google Pay's tokens are valid for seven days. */
const tokenLifeMs = 8 * 24 * 60 * 60 * 1000;

/**
 * Creates a payment method for a wallet's token that only an acquirer can decrypt. It can pay only for the session, and
 * only over the token's assignment. The token itself is kept in memory. The error is the same for an assignment that
 * does not exist, that has ended, and that belongs to another account.
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

function storedToken(id: PaymentMethodId): StoredCard {
  return { payment_method_id: id, card: { brand: "unknown", last4: null } };
}
