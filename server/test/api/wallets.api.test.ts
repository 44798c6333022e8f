import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type ChargeId, uuidOf } from "../../src/core/ids.ts";
import { findCardsOutsideTheVault } from "../../src/insights/verify/cards.sql.ts";
import { createCheckout } from "../checkout.ts";
import { connectedAcquirer } from "../live-acquirer.ts";
import { startShop } from "../shop.ts";
import { day, hour, minute } from "../test-clock.ts";
import { payWithWallet, requestToken, storeToken } from "../wallet.ts";

/** The number of data keys that were wrapped, one for each encrypted card. */
let wrappedKeys = 0;
const shop = await startShop({
  liveAcquirer: () => connectedAcquirer,
  observeKeys: (keys) => ({
    ...keys,
    wrap(...wrapped) {
      wrappedKeys++;
      return keys.wrap(...wrapped);
    },
  }),
});
after(() => shop.close());

const read = async (session: string) => (await shop.get(`/checkout_sessions/${session}`)).body;
const chargeOf = async (session: string) => {
  const { charge_id } = await read(session);
  return (await shop.get(`/charges/${charge_id}`)).body;
};

/** Returns the ECI that the acquirer returned for a charge, and whether liability has shifted to the issuer. */
async function acquirerDetailsOf(charge: ChargeId) {
  const [row] = await shop.app.database.read<{
    details: { eci: string; liabilityShifted: boolean } | null;
  }>`select acquirer_details as details from charges where id = ${uuidOf(charge)}`;
  const details = row?.details;
  return details && { eci: details.eci, liabilityShifted: details.liabilityShifted };
}

test("a test mode session offers the test wallet with the account's own key, and a live one offers none", async () => {
  const { wallets } = (await (await createCheckout(shop)).readSession()).body;
  const [wallet] = wallets;
  assert.deepEqual([wallets.length, wallet.type], [1, "test_wallet"]);
  assert.equal(wallet.recipient_id, `merchant:${shop.merchant.account}`);
  assert.equal(Buffer.from(wallet.public_key, "base64").length, 65);
  assert.doesNotMatch(JSON.stringify(wallet), /\d{12,}/);
  const again = (await (await createCheckout(shop)).readSession()).body.wallets;
  assert.deepEqual(again, wallets);

  const other = await createCheckout(shop, {}, shop.otherMerchant.key);
  assert.notEqual((await other.readSession()).body.wallets[0].public_key, wallet.public_key);

  const { account } = await shop.createMerchant({ status: "approved" });
  const { secret } = await shop.issueKey(account, true);
  const live = await createCheckout(shop, {}, secret);
  assert.deepEqual((await live.readSession()).body.wallets, []);
});

test("a payment with the wallet's token uses a network token: the cryptogram is verified and the ECI is recorded", async () => {
  const browser = await createCheckout(shop);
  const { body } = await payWithWallet(shop, browser);
  assert.deepEqual([body.status, body.payment_status], ["complete", "paid"]);
  const charge = await chargeOf(browser.session);
  const { card } = charge.payment_method_details;
  assert.deepEqual(
    [card.wallet, card.brand, card.last4, card.three_d_secure, card.checks.cvc_check],
    ["test_wallet", "visa", "4242", null, null],
  );
  const method = (await shop.get(`/payment_methods/${charge.payment_method_id}`)).body;
  assert.equal(method.card.wallet, "test_wallet");
  assert.deepEqual(await acquirerDetailsOf(charge.id), { eci: "05", liabilityShifted: true });
});

test("a network token of Mastercard has Mastercard's ECI", async () => {
  const browser = await createCheckout(shop);
  await payWithWallet(shop, browser, "success_mastercard");
  const { id } = await chargeOf(browser.session);
  assert.deepEqual(await acquirerDetailsOf(id), { eci: "02", liabilityShifted: true });
});

test("a payment with a token in the format of Apple Pay uses a network token", async () => {
  const browser = await createCheckout(shop);
  const { body } = await payWithWallet(shop, browser, "success_apple_pay");
  assert.equal(body.status, "complete");
  const charge = await chargeOf(browser.session);
  assert.equal(charge.payment_method_details.card.wallet, "test_wallet");
  assert.deepEqual(await acquirerDetailsOf(charge.id), { eci: "05", liabilityShifted: true });
});

test("400: an Apple Pay token that approves another amount, is replayed or has expired is rejected", async () => {
  const browser = await createCheckout(shop);
  const reasonOf = async (token: string, of = browser) =>
    (await storeToken(shop, of, token)).body.error.message;
  const other = await requestToken(shop, browser, "success_apple_pay", 1998);
  assert.match(await reasonOf(other), /approved another amount/);
  const euros = await createCheckout(shop, { currency: "eur" });
  const dollars = await requestToken(shop, browser, "success_apple_pay");
  assert.match(await reasonOf(dollars, euros), /approved another amount/);

  assert.equal((await storeToken(shop, browser, dollars)).status, 201);
  const second = await createCheckout(shop);
  assert.match(await reasonOf(dollars, second), /used before/);
  const foreign = await createCheckout(shop, {}, shop.otherMerchant.key);
  assert.match(await reasonOf(dollars, foreign), /key that the merchant does not have/);
  const late = await requestToken(shop, second, "success_apple_pay");
  shop.clock.advance(11 * minute);
  assert.match(await reasonOf(late, second), /expired/);
});

test("a card that was typed has no wallet", async () => {
  const browser = await createCheckout(shop);
  await browser.pay("4242424242424242");
  const charge = await chargeOf(browser.session);
  assert.equal("wallet" in charge.payment_method_details.card, false);
  assert.equal(await acquirerDetailsOf(charge.id), null);
});

test("the device has authenticated the customer, so a network token needs no 3-D Secure", async () => {
  const required = await createCheckout(shop, { three_d_secure: "always" });
  assert.equal((await payWithWallet(shop, required)).body.status, "complete");
  const browser = await createCheckout(shop);
  assert.equal((await payWithWallet(shop, browser, "authenticated")).body.status, "complete");
});

test("a wallet's card number without a cryptogram is authenticated with 3-D Secure", async () => {
  const browser = await createCheckout(shop);
  const { body } = await payWithWallet(shop, browser, "card_number");
  assert.deepEqual([body.status, body.next_action.type], ["requires_action", "redirect"]);
  // While a payment is in progress, no wallet is offered.
  assert.deepEqual(body.wallets, []);
});

test("after a decline the customer can pay with another card of the wallet", async () => {
  const browser = await createCheckout(shop);
  const { body } = await payWithWallet(shop, browser, "insufficient_funds");
  assert.deepEqual(
    [body.status, body.last_payment_error.decline_code],
    ["open", "insufficient_funds"],
  );
  assert.equal((await payWithWallet(shop, browser)).body.status, "complete");
});

test("400: a token that was used in one session is rejected in every other session", async () => {
  const first = await createCheckout(shop);
  const token = await requestToken(shop, first);
  const stored = await storeToken(shop, first, token);
  assert.equal(stored.status, 201);
  const second = await createCheckout(shop);
  const { status, body } = await storeToken(shop, second, token);
  assert.deepEqual(
    [status, body.error.code, body.error.param],
    [400, "wallet_token_rejected", "token"],
  );
  assert.match(body.error.message, /used before/);
  assert.equal((await first.confirm(stored.body.payment_method_id)).body.status, "complete");
  const third = await createCheckout(shop);
  assert.equal((await storeToken(shop, third, token)).status, 400);
});

test("of concurrent sessions with one token, exactly one can use it", async () => {
  const browsers = await Promise.all(Array.from({ length: 6 }, () => createCheckout(shop)));
  const [first] = browsers;
  assert(first);
  const token = await requestToken(shop, first);
  const replies = await Promise.all(browsers.map((one) => storeToken(shop, one, token)));
  assert.deepEqual(replies.map(({ status }) => status).toSorted(), [201, 400, 400, 400, 400, 400]);
});

test("a session that repeats the request with its token gets the same payment method", async () => {
  const browser = await createCheckout(shop);
  const token = await requestToken(shop, browser);
  const ids = new Set<string>();
  for (let times = 0; times < 3; times++) {
    const { status, body } = await storeToken(shop, browser, token);
    assert.equal(status, 201);
    ids.add(body.payment_method_id);
  }
  assert.equal(ids.size, 1);
  assert.equal((await browser.confirm([...ids][0] as string)).body.status, "complete");
});

test("a token that is repeated is not encrypted again, because it does not count as a card of the session", async () => {
  const browser = await createCheckout(shop);
  const token = await requestToken(shop, browser);
  const before = wrappedKeys;
  assert.equal((await storeToken(shop, browser, token)).status, 201);
  assert.equal(wrappedKeys, before + 1);
  const other = await createCheckout(shop);
  assert.equal((await storeToken(shop, browser, token)).status, 201);
  assert.equal((await storeToken(shop, other, token)).status, 400);
  assert.equal(wrappedKeys, before + 1);
});

test("a network token is charged once: without its cryptogram, nothing is sent to the acquirer", async () => {
  const browser = await createCheckout(shop);
  const token = await requestToken(shop, browser, "insufficient_funds");
  const id = (await storeToken(shop, browser, token)).body.payment_method_id;
  assert.equal(
    (await browser.confirm(id)).body.last_payment_error.decline_code,
    "insufficient_funds",
  );
  await storeToken(shop, browser, token);
  const { body } = await browser.confirm(id);
  assert.deepEqual(
    [body.status, body.last_payment_error.decline_code],
    ["open", "processing_error"],
  );
});

test("400: a token for another merchant, an altered token and an expired token are rejected", async () => {
  const browser = await createCheckout(shop);
  const other = await createCheckout(shop, {}, shop.otherMerchant.key);
  const token = await requestToken(shop, browser);
  const reasonOf = async (text: string, of = browser) => {
    const { status, body } = await storeToken(shop, of, text);
    assert.deepEqual([status, body.error.code], [400, "wallet_token_rejected"]);
    return body.error.message;
  };
  assert.match(await reasonOf(token, other), /created for another merchant/);
  assert.match(await reasonOf("{}"), /not a token in the format/);
  const altered = JSON.parse(token);
  altered.signedMessage = altered.signedMessage.replace(
    /"tag":"(.)/,
    (_: string, first: string) => `"tag":"${first === "+" ? "A" : "+"}`,
  );
  assert.match(await reasonOf(JSON.stringify(altered)), /was changed/);
  // A week later, the token has expired, and the wallet signs new tokens with a newer key.
  shop.clock.advance(7 * day + hour);
  const late = await createCheckout(shop);
  assert.match(await reasonOf(token, late), /expired/);
  assert.equal((await payWithWallet(shop, late)).body.status, "complete");
});

test("400: the form cannot save a network token", async () => {
  const { id: customer_id } = (await shop.post("/customers", { name: "Ada" })).body;
  const browser = await createCheckout(shop, { customer_id, save_payment_method: true });
  const token = await requestToken(shop, browser);
  const id = (await storeToken(shop, browser, token)).body.payment_method_id;
  const { status, body } = await browser.confirm(id, undefined, true);
  assert.deepEqual([status, body.error.param], [400, "save_payment_method"]);
  assert.equal((await browser.confirm(id)).body.status, "complete");
  assert.equal((await shop.get(`/payment_methods?customer_id=${customer_id}`)).body.data.length, 0);
});

test("400: live mode does not trust the test wallet", async () => {
  const { account, key } = await shop.createMerchant({ status: "approved" });
  const { secret } = await shop.issueKey(account, true);
  const token = await requestToken(shop, await createCheckout(shop, {}, key));
  const live = await createCheckout(shop, {}, secret);
  const { status, body } = await storeToken(shop, live, token);
  assert.deepEqual([status, body.error.code], [400, "wallet_token_rejected"]);
  assert.match(body.error.message, /signing key is not from the wallet/);
});

test("neither the token nor its contents are stored outside the vault or logged", async () => {
  const browser = await createCheckout(shop);
  const token = await requestToken(shop, browser);
  const stored = await storeToken(shop, browser, token);
  await browser.confirm(stored.body.payment_method_id);
  const { encryptedMessage } = JSON.parse(JSON.parse(token).signedMessage);
  assert.ok(!JSON.stringify(shop.log).includes(encryptedMessage.slice(0, 40)));
  assert.deepEqual((await findCardsOutsideTheVault(shop.app.database.read)).sentences, []);
});
