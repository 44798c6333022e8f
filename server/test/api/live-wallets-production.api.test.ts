import assert from "node:assert/strict";
import { createPublicKey } from "node:crypto";
import { after, test } from "node:test";
import type { WalletKey } from "@florin/contract/operator-wallets.ts";
import { createCheckout } from "../checkout.ts";
import { connectedAcquirer } from "../live-acquirer.ts";
import { createPerson } from "../person.ts";
import { errorOf, startShop } from "../shop.ts";
import { until } from "../until.ts";
import { createAuthority, issueMerchantCertificate, newEcKey } from "../wallet-certificates.ts";
import { startWalletServer } from "../wallet-server.ts";

/** Live mode with the acquirers' live environments. */
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
const path = `/operator/v1/accounts/${account}/wallets`;
const reason = "Agreed with the merchant.";
const rootKey = createPublicKey(newEcKey()).export({ format: "der", type: "spki" });
const keyList = (protocolVersion: string) =>
  JSON.stringify({
    keys: [
      { keyValue: rootKey.toString("base64"), protocolVersion, keyExpiration: "4102444800000" },
    ],
  });

async function save(wallet: string, version: number, changes: object = {}) {
  const terms = {
    integration: "direct",
    status: "enabled",
    display_name: "Fieldware",
    domains: [],
  };
  const body = { version, merchant_id: null, ...terms, reason, ...changes };
  const saved = await operator.send("PUT", `${path}/${wallet}`, body);
  assert.equal(saved.status, 200, saved.text);
}

const offers = async () =>
  (await (await createCheckout(shop, {}, key)).readSession()).body.wallets as {
    readonly type: string;
    readonly environment?: string;
  }[];

test("Google Pay needs a merchant ID and Google's production keys", async () => {
  await save("google_pay", 0);
  const created = await operator.send("POST", `${path}/google_pay/keys`, {
    purpose: "payment_processing",
    reason,
  });
  const [{ id, version }] = created.body.keys as [WalletKey];
  const promoted = await operator.send("POST", `${path}/google_pay/keys/${id}/promote`, {
    version,
    reason,
  });
  assert.equal(promoted.status, 200, promoted.text);
  assert.deepEqual(await offers(), []);
  assert.deepEqual(wallets.googlePaths, []);

  await save("google_pay", 1, { merchant_id: "BCR2DN4TXYZ" });
  // Without root keys for the protocol version, no token could be verified.
  wallets.serveGoogleKeys(keyList("ECv1"));
  assert.deepEqual(await offers(), []);
  assert.deepEqual(await offers(), []);
  assert.deepEqual(wallets.googlePaths, ["/paymentmethodtoken/keys.json"]);
  wallets.serveGoogleKeys(keyList("ECv2"));
  shop.clock.advance(16_000);
  // The page after the failure does not wait for the keys, and a later one gets them.
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
    body: { checkout_session_id: browser.session, token: "{}" },
  });
  assert.equal(status, 400);
  assert.match(body.error.message, /not from the wallet/);
});

test("Apple's sandbox server gets no request, and its production server gets one", async () => {
  const domain = "shop.example";
  const merchantId = "merchant.com.fieldware";
  await save("apple_pay", 0, { merchant_id: merchantId, domains: [domain] });
  const purpose = "merchant_identity";
  const created = await operator.send("POST", `${path}/apple_pay/keys`, { purpose, reason });
  const [{ id, version }] = created.body.keys as [WalletKey];
  const keyPath = `${path}/apple_pay/keys/${id}`;
  const { body } = await operator.send("GET", `${keyPath}/certificate_request`);
  const issued = { issuer: merchants, merchantId, purpose } as const;
  const certificate = issueMerchantCertificate(body.certificate_request, issued).toString("base64");
  await operator.send("PUT", `${keyPath}/certificate`, { version, certificate, reason });
  const promoted = await operator.send("POST", `${keyPath}/promote`, {
    version: version + 1,
    reason,
  });
  assert.equal(promoted.status, 200, promoted.text);
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
