import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { WalletKey } from "@florin/contract/operator-wallets.ts";
import type { DigitalWallet } from "@florin/contract/payment-method.ts";
import { deleteExpiredKeys } from "../../src/admin/wallets/wallet-key-expiry.jobs.ts";
import { type AccountId, uuidOf } from "../../src/core/ids.ts";
import { readCertificateExpiries } from "../../src/insights/monitoring/health.sql.ts";
import { findCardsOutsideTheVault } from "../../src/insights/verify/cards.sql.ts";
import { createLocalKeyProvider } from "../../src/vault/local-key-provider.ts";
import { rewrapSecrets } from "../../src/vault/rewrap-secrets.ts";
import { walletPrivateKeys } from "../../src/vault/wallets/configurations/wallet-key-secrets.ts";
import { startLiveWallets } from "../live-wallets.ts";
import { createPerson } from "../person.ts";
import { countLockWaits } from "../queue-behind.ts";
import { errorOf } from "../shop.ts";
import { day, minute } from "../test-clock.ts";
import { until } from "../until.ts";
import { issueMerchantCertificate } from "../wallet-certificates.ts";
import { domain, keysOf, merchantId, reason, walletPath, walletTerms } from "../wallet-operator.ts";

const live = await startLiveWallets();
after(() => live.close());
const { shop, operator, merchant, other, merchants, client } = live;
const { checkout, store, rejection, offered, googleToken, startSession } = live;
const { auditEntries, signInAgain } = live;
const { database } = shop.app;

/** Returns the reasons why the merchant's wallet is not offered, as the operator reads them. */
async function reasonsOf(wallet: DigitalWallet) {
  const { configuration } = await client.read(merchant.account, wallet);
  return configuration?.not_offered_because;
}

test("without a configuration no live wallet is offered, and its tokens are rejected", async () => {
  assert.deepEqual([await offered("google_pay"), await offered("apple_pay")], [null, null]);
  const { configuration, keys } = await client.read(merchant.account, "apple_pay");
  assert.deepEqual([configuration, keys], [null, []]);
  assert.match(await rejection("google_pay", "{}"), /does not accept the wallet/);
  const created = await operator.send("POST", `${walletPath(merchant.account, "apple_pay")}/keys`, {
    purpose: "merchant_identity",
    reason,
  });
  assert.equal(created.status, 404);
});

let currentGoogleKey: WalletKey;

test("Google Pay is offered with the account's public key once a key is in use", async () => {
  const { account } = merchant;
  assert.equal((await client.save(account, "google_pay")).status, 200);
  assert.equal(await offered("google_pay"), null);
  assert.deepEqual(await reasonsOf("google_pay"), ["no_payment_processing_key"]);
  const pending = await client.createKey(account, "google_pay", "payment_processing");
  assert.equal(await offered("google_pay"), null);
  const promoted = await client.change(account, "google_pay", pending, "promote");
  [currentGoogleKey] = promoted.body.keys;
  assert.deepEqual(promoted.body.configuration.not_offered_because, []);
  // Repeats the request, because the first session waits for Google's keys for at most 500 ms.
  const offer = await until(
    () => offered("google_pay"),
    (found) => found !== null,
  );
  assert.deepEqual(
    [offer.environment, offer.merchant_id, offer.merchant_name, offer.country_code],
    ["TEST", "BCR2DN4TXYZ", "Fieldware", "US"],
  );
  assert.deepEqual(offer.tokenization, {
    type: "DIRECT",
    protocol_version: "ECv2",
    public_key: pending.public_key,
  });
  assert.deepEqual(offer.allowed_auth_methods, ["PAN_ONLY", "CRYPTOGRAM_3DS"]);
  assert.ok(offer.allowed_card_networks.includes("VISA"));
  assert.equal(offer.assignment, null);
  // The card form may frame the page with the button, and both may open the payment sheet.
  const { headers } = await shop.send("GET", `/embed/${(await checkout()).session}`);
  assert.match(offer.page_url, /^http:\/\/localhost:\d+\/google_pay\/cs_\w{26}$/);
  const { origin } = new URL(offer.page_url);
  assert.match(
    headers.get("content-security-policy") ?? "",
    new RegExp(`frame-src 'self' ${origin};`),
  );
  assert.match(
    headers.get("permissions-policy") ?? "",
    new RegExp(`payment=\\(self "${origin}"\\)$`),
  );
});

test("another account's configuration and keys are never used", async () => {
  assert.equal(await offered("google_pay", other.key), null);
  assert.match(
    await rejection("google_pay", googleToken(currentGoogleKey), other.key),
    /does not accept the wallet/,
  );
  await client.save(other.account, "google_pay", { merchant_id: "BCR2DN4TXYZ" });
  const otherKey = await client.activateGoogleKey(other.account);
  assert.notEqual(otherKey.public_key, currentGoogleKey.public_key);
  // Both accounts have registered the same merchant ID, and only the keys differ.
  assert.match(
    await rejection("google_pay", googleToken(currentGoogleKey), other.key),
    /key that the merchant does not have/,
  );
  assert.match(
    await rejection("google_pay", googleToken(otherKey)),
    /key that the merchant does not have/,
  );
  const removed = await client.change(other.account, "google_pay", currentGoogleKey, "remove");
  assert.equal(removed.status, 404);
  const changed = await client.change(merchant.account, "apple_pay", currentGoogleKey, "remove");
  assert.equal(changed.status, 404);
});

test("a replaced key decrypts tokens for 30 days, and a job then deletes it", async () => {
  const { account } = merchant;
  const before = currentGoogleKey;
  currentGoogleKey = await client.activateGoogleKey(account);
  assert.equal((await offered("google_pay")).tokenization.public_key, currentGoogleKey.public_key);
  const previous = (await client.read(account, "google_pay")).keys.find(
    ({ id }) => id === before.id,
  );
  assert.deepEqual(
    [previous?.status, (previous?.expires_at ?? 0) - (currentGoogleKey.promoted_at ?? 0)],
    ["previous", (30 * day) / 1_000],
  );
  assert.equal((await store(await checkout(), "google_pay", googleToken(before))).status, 201);
  assert.equal(
    (await store(await checkout(), "google_pay", googleToken(currentGoogleKey))).status,
    201,
  );
  shop.clock.advance(30 * day);
  await signInAgain();
  assert.match(await rejection("google_pay", googleToken(before)), /does not have/);

  assert.equal(await deleteExpiredKeys({ database, clock: shop.clock }), 1);
  const { keys } = await client.read(account, "google_pay");
  assert.deepEqual(
    keys.map(({ id, status }) => [id, status]),
    [[currentGoogleKey.id, "current"]],
  );
  const entry = (await auditEntries()).find(
    (one) => one.action === "wallet_key.removed" && one.object_id === before.id,
  );
  assert.equal(entry?.actor.type, "service");
});

test("of concurrent changes of a key exactly one is made", async () => {
  const { account } = other;
  const create = () =>
    operator.send("POST", `${walletPath(account, "google_pay")}/keys`, {
      purpose: "payment_processing",
      reason,
    });
  const created = await Promise.all([create(), create(), create()]);
  assert.deepEqual(created.map(({ status }) => status).toSorted(), [201, 400, 400]);
  const { keys } = await client.read(account, "google_pay");
  const pending = keys.find(({ status }) => status === "pending") as WalletKey;
  const promote = () => client.change(account, "google_pay", pending, "promote");
  const promoted = await Promise.all([promote(), promote(), promote()]);
  assert.deepEqual(promoted.map(({ status }) => status).toSorted(), [200, 400, 400]);
  const statuses = (await client.read(account, "google_pay")).keys.map(({ status }) => status);
  assert.deepEqual(statuses, ["current", "previous"]);
});

test("a wallet has at most three previous keys, of which any can be removed", async () => {
  const { account } = other;
  await client.activateGoogleKey(account);
  await client.activateGoogleKey(account);
  const fifth = await client.createKey(account, "google_pay", "payment_processing");
  const rejected = await client.change(account, "google_pay", fifth, "promote");
  assert.equal(errorOf(rejected)[2], "status_transition_invalid");
  const { keys } = await client.read(account, "google_pay");
  const previous = keys.filter(({ status }) => status === "previous");
  assert.equal(previous.length, 3);
  const removed = await client.change(account, "google_pay", previous[0] as WalletKey, "remove");
  assert.equal(removed.status, 200);
  assert.equal((await client.change(account, "google_pay", fifth, "promote")).status, 200);
});

test("a removed key decrypts nothing", async () => {
  const key = currentGoogleKey;
  assert.equal((await client.change(merchant.account, "google_pay", key, "remove")).status, 200);
  assert.equal(await offered("google_pay"), null);
  assert.match(await rejection("google_pay", googleToken(key)), /does not have/);
  currentGoogleKey = await client.activateGoogleKey(merchant.account);
});

test("a disabled wallet is not offered, and its tokens are rejected", async () => {
  assert.equal(
    (await client.save(merchant.account, "google_pay", { status: "disabled" })).status,
    200,
  );
  assert.equal(await offered("google_pay"), null);
  assert.match(await rejection("google_pay", googleToken(currentGoogleKey)), /does not accept/);
  assert.equal(
    (await client.save(merchant.account, "google_pay", { integration: "gateway" })).status,
    200,
  );
  // The acquirer now decrypts the tokens, and the account's own key no longer does.
  assert.equal((await offered("google_pay")).tokenization.type, "PAYMENT_GATEWAY");
  assert.match(await rejection("google_pay", googleToken(currentGoogleKey)), /does not accept/);
  assert.equal((await client.save(merchant.account, "google_pay")).status, 200);
});

let appleKey: WalletKey;
let identityKey: WalletKey;

test("Apple Pay is offered once both certificates are in use", async () => {
  const { account } = merchant;
  assert.equal((await client.save(account, "apple_pay")).status, 200);
  appleKey = await client.activateCertifiedKey(account, "payment_processing");
  assert.equal(await offered("apple_pay"), null);
  assert.deepEqual(await reasonsOf("apple_pay"), ["no_merchant_identity_key"]);
  identityKey = await client.activateCertifiedKey(account, "merchant_identity");
  const offer = await offered("apple_pay");
  assert.deepEqual(
    [offer.merchant_identifier, offer.display_name, offer.domains, offer.country_code],
    [merchantId, "Fieldware", [domain], "US"],
  );
  assert.deepEqual([offer.merchant_capabilities, offer.assignment], [["supports3DS"], null]);
  assert.ok(offer.supported_networks.includes("masterCard"));
});

test("an expired certificate stops the offer, and the metric shows the first expiry", async () => {
  const { account } = merchant;
  const soon = new Date(Math.floor(shop.clock.now().getTime() / 1_000) * 1_000 + 20 * minute);
  await client.activateCertifiedKey(account, "merchant_identity", soon);
  assert.ok(await offered("apple_pay"));
  const expiries = await readCertificateExpiries(database.read);
  const found = expiries.find(({ purpose }) => purpose === "merchant_identity");
  assert.deepEqual(found?.expiresAt, soon);
  shop.clock.advance(20 * minute);
  await signInAgain();
  assert.equal(await offered("apple_pay"), null);
  assert.deepEqual(await reasonsOf("apple_pay"), ["merchant_identity_certificate_expired"]);
  assert.deepEqual(errorOf(await startSession(await checkout())), [
    400,
    "invalid_request_error",
    "parameter_invalid",
    "id",
  ]);
  identityKey = await client.activateCertifiedKey(account, "merchant_identity");
  assert.ok(await offered("apple_pay"));
  // A replaced key for mutual TLS is deleted immediately.
  const { keys } = await client.read(account, "apple_pay");
  assert.equal(keys.filter(({ purpose }) => purpose === "merchant_identity").length, 1);
});

test("400: a key whose certificate has expired does not replace the current key", async () => {
  const { account } = merchant;
  const soon = new Date(Math.floor(shop.clock.now().getTime() / 1_000) * 1_000 + minute);
  const pending = await client.createCertifiedKey(account, "merchant_identity", soon);
  shop.clock.advance(minute);
  const rejected = await client.change(account, "apple_pay", pending, "promote");
  assert.equal(errorOf(rejected)[2], "status_transition_invalid");
  assert.match(rejected.body.error.message, /expired/);
  const keys = keysOf(await client.read(account, "apple_pay"), "merchant_identity");
  const current = keys.find(({ status }) => status === "current");
  assert.equal(current?.id, identityKey.id);
  assert.equal((await client.change(account, "apple_pay", pending, "remove")).status, 200);
});

test("changes need the version that the operator saw, a step-up and the right wallet", async () => {
  const { account } = merchant;
  const stale = await client.save(account, "apple_pay", { version: 0 });
  assert.deepEqual(errorOf(stale), [400, "invalid_request_error", "resource_changed", "version"]);
  const key = await client.createKey(account, "apple_pay", "payment_processing");
  const twice = await operator.send("POST", `${walletPath(account, "apple_pay")}/keys`, {
    purpose: "payment_processing",
    reason,
  });
  assert.equal(errorOf(twice)[2], "status_transition_invalid");
  const early = await client.change(account, "apple_pay", key, "promote");
  assert.equal(errorOf(early)[2], "status_transition_invalid");
  const old = await client.change(account, "apple_pay", { ...key, version: 9 }, "remove");
  assert.equal(errorOf(old)[2], "resource_changed");
  const wrong = issueMerchantCertificate(await client.readCertificateRequest(account, key), {
    issuer: merchants,
    merchantId: "merchant.com.other",
    purpose: "payment_processing",
  });
  const rejected = await client.upload(account, key, wrong.toString("base64"));
  assert.deepEqual(errorOf(rejected).slice(2), ["parameter_invalid", "certificate"]);
  const renamed = await client.save(account, "apple_pay", { merchant_id: "merchant.com.other" });
  assert.deepEqual(errorOf(renamed).slice(2), ["parameter_invalid", "merchant_id"]);
  assert.equal((await client.change(account, "apple_pay", key, "remove")).status, 200);

  const identity = await operator.send("POST", `${walletPath(account, "google_pay")}/keys`, {
    purpose: "merchant_identity",
    reason,
  });
  assert.deepEqual(errorOf(identity).slice(2), ["parameter_invalid", "purpose"]);
  const domains = await client.save(account, "google_pay", { domains: [domain] });
  assert.deepEqual(errorOf(domains).slice(2), ["parameter_invalid", "domains"]);
  const nameless = await client.save(account, "apple_pay", { merchant_id: null });
  assert.deepEqual(errorOf(nameless).slice(2), ["parameter_invalid", "merchant_id"]);
  const unknown = await operator.send("PUT", `/operator/v1/accounts/${account}/wallets/other`, {
    version: 0,
    ...walletTerms.google_pay,
    reason,
  });
  assert.equal(unknown.status, 404);

  const member = await createPerson(shop, {
    account,
    operator: true,
    secondFactor: true,
  });
  const own = await member.send("PUT", walletPath(account, "google_pay"), {
    version: 1,
    ...walletTerms.google_pay,
    reason,
  });
  assert.equal(errorOf(own)[2], "own_account");
});

/** Runs the statements in a transaction while the request waits for its locks. Returns the response. */
async function whileWaiting<Response>(
  run: (client: Awaited<ReturnType<typeof database.connect>>) => Promise<unknown>,
  request: () => Promise<Response>,
): Promise<Response> {
  const client = await database.connect();
  await client.query("begin");
  await run(client);
  const response = request();
  await until(
    () => countLockWaits(database, "wallet_configurations"),
    (count) => count === 1,
  );
  await client.query("commit");
  await client.end();
  return response;
}

test("a certificate and another merchant identifier cannot be stored concurrently", async () => {
  const { account } = other;
  assert.equal((await client.save(account, "apple_pay", { status: "disabled" })).status, 200);
  const key = await client.createKey(account, "apple_pay", "payment_processing");
  const certificate = issueMerchantCertificate(await client.readCertificateRequest(account, key), {
    issuer: merchants,
    merchantId,
    purpose: "payment_processing",
  });
  const uploaded = await whileWaiting(
    (client) =>
      client.query(
        `update wallet_configurations set merchant_id = 'merchant.com.other', version = version + 1
          where account_id = $1 and wallet = 'apple_pay'`,
        [uuidOf(account)],
      ),
    () => client.upload(account, key, certificate.toString("base64")),
  );
  assert.deepEqual(errorOf(uploaded).slice(2), ["parameter_invalid", "certificate"]);

  const saved = await whileWaiting(
    async (client) => {
      await client.query(
        `select from wallet_configurations where account_id = $1 and wallet = 'apple_pay' for update`,
        [uuidOf(account)],
      );
      await client.query(
        `update wallet_keys set certificate = $2, certificate_expires_at = '2049-12-31', version = version + 1
          where account_id = $1 and wallet = 'apple_pay'`,
        [uuidOf(account), certificate],
      );
    },
    () => client.save(account, "apple_pay", { status: "disabled" }),
  );
  assert.deepEqual(errorOf(saved).slice(2), ["parameter_invalid", "merchant_id"]);
});

test("every change is in the account's audit log with the IDs and fingerprints of the keys", async () => {
  const entries = await auditEntries();
  const of = (action: string) => entries.filter((entry) => entry.action === action);
  const created = of("wallet_key.created").find(({ object_id }) => object_id === appleKey.id);
  assert.equal(created?.after?.public_key_fingerprint, appleKey.fingerprint);
  const stored = of("wallet_key.certificate_stored").find(
    ({ object_id }) => object_id === appleKey.id,
  );
  assert.equal(stored?.after?.certificate_fingerprint, appleKey.certificate?.fingerprint);
  assert.ok(of("wallet_key.promoted").some(({ object_id }) => object_id === identityKey.id));
  assert.ok(of("wallet.configured").length > 0);
});

test("no response, audit entry or log line contains a private key", async () => {
  const privateKeys = await live.readPrivateKeys();
  const isInOutput = await live.searchOutput();
  // The output contains the public key, which shows that the search works.
  assert.ok(isInOutput(Buffer.from(currentGoogleKey.public_key as string, "base64")));
  for (const secret of privateKeys) assert.equal(isInOutput(secret), false);
});

test("a rotation of the vault's keys re-encrypts the private keys, which still decrypt tokens", async () => {
  const keys = createLocalKeyProvider(shop.settings.FLORIN_KEYS);
  await keys.rotate(true);
  const count = await rewrapSecrets({ database, keys }, walletPrivateKeys, true);
  const [row] = await database.read<{ count: number }>`
    select count(*)::int as count from wallet_keys
  `;
  assert.equal(count, row?.count);
  assert.equal(await rewrapSecrets({ database, keys }, walletPrivateKeys, true), 0);
  assert.equal(await rewrapSecrets({ database, keys }, walletPrivateKeys, false), 0);
  assert.equal(
    (await store(await checkout(), "google_pay", googleToken(currentGoogleKey))).status,
    201,
  );
});

test("Apple's file for the service's domain is served as it was stored", async () => {
  const path = "/.well-known/apple-developer-merchantid-domain-association";
  assert.equal((await shop.send("GET", path)).status, 404);
  // The digits contain a number that the search for card data would find.
  const file = `7B2270737049642${"4242424242424242"}22`;
  const domain_association = Buffer.from(file).toString("base64");
  const stored = await client.save(merchant.account, "apple_pay", { domain_association });
  assert.equal(stored.status, 200, stored.text);
  assert.deepEqual((await findCardsOutsideTheVault(database.read)).sentences, []);
  const served = await fetch(shop.url + path);
  assert.equal(served.status, 200);
  assert.equal(await served.text(), file);
  assert.match(served.headers.get("content-type") ?? "", /^text\/plain/);
  // Other changes keep the file.
  assert.equal((await client.save(merchant.account, "apple_pay")).status, 200);
  const { configuration } = await client.read(merchant.account, "apple_pay");
  assert.equal(configuration?.has_domain_association, true);
  await client.save(merchant.account, "apple_pay", { domain_association: null });
  assert.equal((await shop.send("GET", path)).status, 404);
});

test("of the files of several accounts, the one that was stored last is served", async () => {
  const path = "/.well-known/apple-developer-merchantid-domain-association";
  const served = async () => (await fetch(shop.url + path)).text();
  const store = async (account: AccountId, file: string) => {
    shop.clock.advance(1_000);
    const domain_association = Buffer.from(file).toString("base64");
    const merchant_id = account === other.account ? "merchant.com.other" : merchantId;
    const stored = await client.save(account, "apple_pay", { merchant_id, domain_association });
    assert.equal(stored.status, 200, stored.text);
  };
  await store(other.account, "0A");
  await store(merchant.account, "0B");
  await store(other.account, "0C");
  assert.equal(await served(), "0C");
  // A later change that contains no file does not count as a new upload.
  shop.clock.advance(1_000);
  assert.equal((await client.save(merchant.account, "apple_pay")).status, 200);
  assert.equal(await served(), "0C");
  await store(merchant.account, "0D");
  assert.equal(await served(), "0D");
});
