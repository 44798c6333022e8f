import assert from "node:assert/strict";
import { type DigitalWallet, digitalWallets } from "@florin/contract/payment-method.ts";
import { type AccountId, uuidOf } from "../src/core/ids.ts";
import type { Browser } from "./checkout.ts";
import type { Reply } from "./client.ts";
import type { FakeControl } from "./fake-control.ts";
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
    body: { checkout_session_id: browser.session, wallet: "test_wallet", token },
  });
}

/** Pays with a card of test mode's wallet. Returns the response to the confirm request. */
export async function payWithWallet(shop: Shop, browser: Browser, card?: string): Promise<Reply> {
  const stored = await storeToken(shop, browser, await requestToken(shop, browser, card));
  assert.equal(stored.status, 201, stored.text);
  return browser.confirm(stored.body.payment_method_id);
}

/** Enables Google Pay and Apple Pay for the account, with tokens that only its acquirers decrypt. */
export async function acceptGatewayTokens({ app, clock }: Shop, account: AccountId): Promise<void> {
  await app.database.transaction(async (tx) => {
    for (const wallet of digitalWallets) {
      await tx`
        insert into wallet_configurations
               (account_id, wallet, integration, status, merchant_id, display_name, updated_at)
        values (${uuidOf(account)}, ${wallet}, 'gateway', 'enabled', 'merchant.com.fieldware', 'Fieldware',
                ${clock.now()})`;
    }
  });
}

/** A card that the fakes of all acquirers approve. */
const walletCard = "4111111111111111";

/** Creates a token that the fake acquirer decrypts, as the card form sends it. */
export async function createToken(
  fake: Pick<FakeControl<unknown>, "control">,
  wallet: DigitalWallet,
  more: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const command = { number: walletCard, wallet, ...more };
  return JSON.stringify(
    (await fake.control<{ token: object }>("POST wallet_tokens", command)).token,
  );
}

/** Sends a wallet's token that only the acquirer of the assignment decrypts. */
export function storeGatewayToken(
  shop: Shop,
  browser: Browser,
  body: {
    readonly wallet: DigitalWallet;
    readonly assignment: string;
    readonly token: string;
  },
): Promise<Reply> {
  return shop.send("POST", "/vault/wallet_tokens", {
    headers: { authorization: `Bearer ${browser.secret}` },
    body: { checkout_session_id: browser.session, ...body },
  });
}
