import { ControlError } from "@florin/shared-fake/control-request.ts";
import { readWalletCard } from "@florin/shared-fake/wallet-tokens.ts";
import type { Platform } from "./platform.ts";
import type { Token } from "./records.ts";
import { renderToken } from "./render.ts";
import type { Context } from "./request-context.ts";
import { invalid, noSuch } from "./stripe-error.ts";
import { brandOf, testCardOf } from "./test-cards.ts";

/*
 * Tokens (docs.stripe.com/api/tokens). Google Pay sends the encrypted card to Stripe. The response of Google Pay
 * contains Stripe's token of the card. Everyone who knows the publishable key can create such a token for a typed card.
 * The token of a typed card has no `tokenization_method`.
 */

/** Creates the token that Google Pay returns or, if the command names no wallet, the token of a typed card. */
export function createToken(platform: Platform, body: Readonly<Record<string, unknown>>): object {
  const account = platform.account(String(body.account));
  const isTyped = body.wallet === null;
  const { number, expMonth, expYear, wallet, authMethod } = readWalletCard({
    ...body,
    ...(isTyped && { wallet: "google_pay" }),
  });
  if (wallet !== "google_pay")
    throw new ControlError(
      "wallet must be google_pay, because Stripe documents no parameter for an Apple Pay token.",
    );
  const token = platform.put<Token>(platform.tokens, {
    id: platform.newId("tok"),
    account: account.id,
    created: platform.nowSeconds(),
    used: false,
    tokenizationMethod: isTyped ? null : "google_pay",
    card: {
      brand: brandOf(number),
      last4: number.slice(-4),
      expMonth,
      expYear,
      behavior: testCardOf(number),
      hasCvc: false,
      hasLine1: false,
      hasPostalCode: false,
      wallet: isTyped ? null : { type: "google_pay", hasCryptogram: authMethod !== "PAN_ONLY" },
    },
  });
  return renderToken(token, account.livemode);
}

/** Handles `GET /v1/tokens/{id}`. */
export function retrieveToken({ platform, account }: Context, id: string): object {
  const token = platform.tokens.get(id);
  if (!token || token.account !== account.id) throw noSuch("token", id, "token");
  return renderToken(token, account.livemode);
}

const param = "payment_method_data[card][token]";

/** Returns the token of a confirmation, which can be used once. */
export function usableToken({ platform, account }: Context, id: string): Token {
  const token = platform.tokens.get(id);
  if (!token || token.account !== account.id) {
    throw invalid(`No such token: '${id}'`, param, "resource_missing");
  }
  if (token.used) {
    const message = `You cannot use a Stripe token more than once: ${id}.`;
    throw invalid(message, param, "token_already_used");
  }
  return token;
}
