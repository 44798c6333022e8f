import assert from "node:assert/strict";
import type { OfferedWallet } from "@florin/contract/frame.ts";
import type { Account } from "../../identity/accounts/account.ts";
import type { PaymentOrigin } from "../../platform/http/protect-page.ts";
import { type CheckoutSession, statusAt } from "../sessions/checkout-session.ts";
import { canPayWithGatewayToken } from "./assess-attempt.ts";
import type { SessionDeps } from "./session-deps.ts";

type OfferDeps = Pick<SessionDeps, "charges" | "wallets" | "walletsUrl">;

/** The path of the page with Google Pay's button, below the second origin. The ID of the session follows. */
export const googlePayPath = "/google_pay";

/**
 * Returns the wallets with which the customer can pay. None is offered if no acquirer accepts their tokens, if the
 * session is not open, and in mode `setup`, because a wallet token can be charged only once and cannot be saved.
 */
export async function offeredWallets(
  { charges, wallets, walletsUrl }: OfferDeps,
  session: CheckoutSession,
  { country }: Account,
): Promise<OfferedWallet[]> {
  const { acquirers, clock } = charges;
  if (session.mode === "setup" || statusAt(session, clock.now()) !== "open") return [];
  const { id, scope, price, metadata, details } = session;
  const accepted = {
    cards: acquirers.acceptedNetworks(scope, price, "card"),
    networkTokens: acquirers.acceptedNetworks(scope, price, "network_token"),
    gateways: acquirers
      .walletGateways(scope, { key: id, price, metadata })
      .filter(({ wallet }) => canPayWithGatewayToken(wallet, details.three_d_secure === "always")),
  };
  const offered = await wallets.offered(scope, country, accepted);
  return offered.map((wallet) => {
    if (wallet.type !== "google_pay") return wallet;
    assert(walletsUrl, "Google Pay is offered without an origin for its page");
    return { ...wallet, page_url: `${walletsUrl()}${googlePayPath}/${id}` };
  });
}

/** The origins that the card form needs for the wallets that it offers. */
export type WalletOrigins = {
  /** The origins that may open a payment sheet. */
  readonly payment: readonly PaymentOrigin[];
  /** The origins of the frames with wallets' buttons. */
  readonly frames: readonly string[];
};

/**
 * Returns the origins that the card form needs for these wallets. Both lists are empty if no live-mode wallet is
 * offered.
 */
export function walletOrigins(wallets: readonly OfferedWallet[]): WalletOrigins {
  const pages = wallets.flatMap((wallet) =>
    wallet.type === "google_pay" ? [new URL(wallet.page_url)] : [],
  );
  const isLive = wallets.some(({ type }) => type !== "test_wallet");
  return {
    payment: isLive ? ["self", ...pages] : [],
    frames: pages.map(({ origin }) => origin),
  };
}
