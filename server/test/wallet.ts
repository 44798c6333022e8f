import assert from "node:assert/strict";
import type { Browser } from "./checkout.ts";
import type { Reply } from "./client.ts";
import type { Shop } from "./shop.ts";

/** Requests a token of test mode's wallet for the browser's session, as the card form does. */
export async function requestToken(
  shop: Shop,
  browser: Browser,
  card = "success",
  approvedAmount: number | null = null,
): Promise<string> {
  const { body: session } = await browser.readSession();
  const amount = approvedAmount ?? session.amount;
  const [wallet] = session.wallets;
  const { recipient_id, public_key } = wallet;
  const { currency } = session;
  const { status, body } = await shop.send("POST", wallet.token_path, {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({
      ...{ recipient_id, public_key, card, currency },
      amount: String(amount),
    }).toString(),
  });
  assert.equal(status, 200);
  return body.token;
}

/** Sends a wallet's token to the vault. */
export function storeToken(shop: Shop, browser: Browser, token: string): Promise<Reply> {
  return shop.send("POST", "/vault/wallet_tokens", {
    headers: { authorization: `Bearer ${browser.secret}` },
    body: { checkout_session_id: browser.session, token },
  });
}

/** Pays with a card of test mode's wallet. Returns the response to the confirm request. */
export async function payWithWallet(shop: Shop, browser: Browser, card?: string): Promise<Reply> {
  const stored = await storeToken(shop, browser, await requestToken(shop, browser, card));
  assert.equal(stored.status, 201, stored.text);
  return browser.confirm(stored.body.payment_method_id);
}
