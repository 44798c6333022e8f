import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { DigitalWallet } from "@florin/contract/payment-method.ts";
import type { Browser } from "../checkout.ts";
import { walletCard } from "../live-wallet-tokens.ts";
import { startLiveWallets } from "../live-wallets.ts";
import { minute } from "../test-clock.ts";
import { until } from "../until.ts";
import { newEcKey } from "../wallet-certificates.ts";

const live = await startLiveWallets();
after(() => live.close());
const { shop, adyen, wallets, merchant, merchants, client } = live;
const { checkout, store, rejection, offered, googleToken, appleToken } = live;
const { account } = merchant;
await client.save(account, "google_pay");
const googleKey = await client.activateGoogleKey(account);
await client.save(account, "apple_pay");
const appleKey = await client.activateCertifiedKey(account, "payment_processing");
await client.activateCertifiedKey(account, "merchant_identity");

/** Pays with a stored payment method, and returns the charge when it has succeeded. */
async function payWith(browser: Browser, token: string, wallet: DigitalWallet) {
  const stored = await store(browser, wallet, token);
  assert.equal(stored.status, 201, stored.text);
  await browser.confirm(stored.body.payment_method_id);
  const list = async () =>
    (await shop.get(`/charges?checkout_session_id=${browser.session}`, { as: merchant.key })).body
      .data[0];
  return until(list, (charge) => charge?.status === "succeeded");
}

test("a payment with a Google Pay token succeeds", async () => {
  const charge = await payWith(await checkout(), googleToken(googleKey), "google_pay");
  assert.equal(charge.payment_method_details.card.wallet, "google_pay");
  assert.equal((await adyen.paymentOf(charge.id)).capturedValue, 1999);
});

test("Google's keys are requested once for all sessions and tokens", async () => {
  assert.ok(await offered("google_pay"));
  assert.deepEqual(wallets.googlePaths, ["/paymentmethodtoken/test/keys.json"]);
});

test("400: a Google Pay token that was altered, is for another merchant, expired or replayed is rejected", async () => {
  const token = googleToken(googleKey);
  const altered = JSON.parse(token);
  const message = JSON.parse(altered.signedMessage);
  altered.signedMessage = JSON.stringify({ ...message, tag: message.encryptedMessage });
  assert.match(await rejection("google_pay", JSON.stringify(altered)), /changed/);
  const foreign = googleToken(googleKey, { recipient: "merchant:OTHER" });
  assert.match(await rejection("google_pay", foreign), /another merchant/);
  const unsigned = googleToken(googleKey, { root: newEcKey() });
  assert.match(await rejection("google_pay", unsigned), /not from the wallet/);
  const expired = googleToken(googleKey, { lifeMs: 0 });
  assert.match(await rejection("google_pay", expired), /expired/);

  const browser = await checkout();
  assert.equal((await store(browser, "google_pay", token)).status, 201);
  assert.equal((await store(browser, "google_pay", token)).status, 201);
  assert.match(await rejection("google_pay", token), /used before/);
});

test("a wallet's token is not accepted as a token of another wallet", async () => {
  assert.match(await rejection("apple_pay", googleToken(googleKey)), /format of the wallet/);
  const browser = await checkout();
  const { body } = await store(browser, "test_wallet", googleToken(googleKey));
  assert.match(body.error.message, /not from the wallet/);
});

test("a payment with an Apple Pay token succeeds", async () => {
  const charge = await payWith(await checkout(), appleToken(appleKey), "apple_pay");
  assert.equal(charge.payment_method_details.card.wallet, "apple_pay");
});

test("400: an Apple Pay token that is foreign, old or for another merchant is rejected", async () => {
  const foreign = appleToken(appleKey, { root: merchants });
  assert.match(await rejection("apple_pay", foreign), /not from the wallet/);
  const recipient = "merchant.com.other";
  assert.match(await rejection("apple_pay", appleToken(appleKey, { recipient })), /does not have/);
  const signedAt = new Date(shop.clock.now().getTime() - 11 * minute);
  assert.match(await rejection("apple_pay", appleToken(appleKey, { signedAt })), /expired/);
  const altered = JSON.parse(appleToken(appleKey));
  altered.header.transactionId = "0".repeat(64);
  assert.match(await rejection("apple_pay", JSON.stringify(altered)), /changed/);
});

test("no response, audit entry or log line contains a private key or a token", async () => {
  const privateKeys = await live.readPrivateKeys();
  const isInOutput = await live.searchOutput();
  // The output contains the public key, which shows that the search works.
  assert.ok(isInOutput(Buffer.from(googleKey.public_key as string, "base64")));
  for (const secret of privateKeys) assert.equal(isInOutput(secret), false);
  assert.ok(live.sentTokens.length > 0);
  for (const token of live.sentTokens) {
    const { signature, data, signedMessage } = JSON.parse(token);
    for (const part of [token, signature, data ?? JSON.parse(signedMessage).encryptedMessage]) {
      assert.equal(isInOutput(part), false);
    }
  }
  assert.equal(isInOutput(walletCard.pan), false);
});
