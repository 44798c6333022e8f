import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createCheckout } from "../checkout.ts";
import { connectedAcquirer } from "../live-acquirer.ts";
import { createPerson } from "../person.ts";
import { errorOf, startShop } from "../shop.ts";
import { until } from "../until.ts";
import { createAuthority, newEcKey } from "../wallet-certificates.ts";
import { createWalletClient, domain } from "../wallet-operator.ts";
import { listRootKey, startWalletServer } from "../wallet-server.ts";

/** These tests use the acquirers' live environments instead of their sandboxes. */
const merchants = createAuthority("Simulated Apple certificate authority");
const wallets = await startWalletServer(merchants);
after(() => wallets.close());
const shop = await startShop({
  liveAcquirer: () => connectedAcquirer,
  walletServers: { replacement: wallets.replacement },
  walletsHost: "localhost",
});
after(() => shop.close());
const operator = await createPerson(shop, { operator: true, secondFactor: true });
const { account } = await shop.createMerchant({ status: "approved" });
const { secret: key } = await shop.issueKey(account, true);
const client = createWalletClient(operator, merchants);
const rootKey = newEcKey();

const offers = async () =>
  (await (await createCheckout(shop, {}, key)).readSession()).body.wallets as {
    readonly type: string;
    readonly environment?: string;
  }[];

test("Google Pay needs a merchant ID and Google's production keys", async () => {
  assert.equal((await client.save(account, "google_pay", { merchant_id: null })).status, 200);
  await client.activateGoogleKey(account);
  assert.deepEqual(await offers(), []);
  assert.deepEqual(wallets.googlePaths, []);

  assert.equal((await client.save(account, "google_pay")).status, 200);
  // These root keys are for another protocol version, so no token could be verified and the wallet is not offered.
  wallets.serveGoogleKeys(listRootKey(rootKey, "ECv1"));
  assert.deepEqual(await offers(), []);
  assert.deepEqual(await offers(), []);
  assert.deepEqual(wallets.googlePaths, ["/paymentmethodtoken/keys.json"]);
  wallets.serveGoogleKeys(listRootKey(rootKey));
  shop.clock.advance(16_000);
  // The first page after the failure does not wait for the keys. A later page offers the wallet.
  const offered = await until(offers, ({ length }) => length > 0);
  assert.deepEqual(
    offered.map(({ type, environment }) => [type, environment]),
    [["google_pay", "PRODUCTION"]],
  );
  assert.equal(wallets.googlePaths.length, 2);
});

test("the test wallet is neither offered nor trusted", async () => {
  const browser = await createCheckout(shop, {}, key);
  const { status, body } = await shop.send("POST", "/vault/wallet_tokens", {
    headers: { authorization: `Bearer ${browser.secret}` },
    body: { checkout_session_id: browser.session, wallet: "test_wallet", token: "{}" },
  });
  assert.equal(status, 400);
  assert.match(body.error.message, /not from the wallet/);
});

test("Apple's sandbox server gets no request, and its production server gets one", async () => {
  assert.equal((await client.save(account, "apple_pay")).status, 200);
  await client.activateCertifiedKey(account, "merchant_identity");
  const browser = await createCheckout(shop, {}, key);
  const start = (host: string) =>
    shop.send("POST", `/embed/api/checkout_sessions/${browser.session}/apple_pay_session`, {
      headers: { authorization: `Bearer ${browser.secret}` },
      body: { validation_url: `https://${host}/paymentservices/startSession`, domain },
    });
  const rejected = await start("apple-pay-gateway-cert.apple.com");
  assert.deepEqual(errorOf(rejected).slice(2), ["parameter_invalid", "validation_url"]);
  assert.equal((await start("apple-pay-gateway.apple.com")).status, 200);
  assert.deepEqual(
    wallets.requests.map(({ host }) => host),
    ["apple-pay-gateway.apple.com"],
  );
});
