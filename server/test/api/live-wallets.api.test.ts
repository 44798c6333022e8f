import assert from "node:assert/strict";
import { createPrivateKey, createPublicKey } from "node:crypto";
import { after, mock, test } from "node:test";
import type { OperatorWallet, WalletKey } from "@florin/contract/operator-wallets.ts";
import { deleteExpiredKeys } from "../../src/admin/wallets/wallet-key-expiry.jobs.ts";
import { type AccountId, idFromUuid, uuidOf } from "../../src/core/ids.ts";
import { readCertificateExpiries } from "../../src/insights/monitoring/health.sql.ts";
import { createMetrics } from "../../src/insights/monitoring/process-metrics.ts";
import { findCardsOutsideTheVault } from "../../src/insights/verify/cards.sql.ts";
import { createLocalKeyProvider } from "../../src/vault/local-key-provider.ts";
import { rewrapSecrets } from "../../src/vault/rewrap-secrets.ts";
import {
  decryptPrivateKey,
  walletPrivateKeys,
} from "../../src/vault/wallets/configurations/wallet-key-secrets.ts";
import { connectAdyen, startAdyen } from "../adyen.ts";
import { type Browser, createCheckout } from "../checkout.ts";
import {
  type AppleTokenOptions,
  createAppleToken,
  createGoogleToken,
  type GoogleTokenOptions,
  walletCard,
} from "../live-wallet-tokens.ts";
import { createPerson } from "../person.ts";
import { formsOf } from "../secret-forms.ts";
import { errorOf, type Shop, startShop } from "../shop.ts";
import { day, minute } from "../test-clock.ts";
import { until } from "../until.ts";
import { createAuthority, issueMerchantCertificate, newEcKey } from "../wallet-certificates.ts";
import { startWalletServer } from "../wallet-server.ts";

const merchants = createAuthority("Simulated Apple certificate authority");
const appleRoot = createAuthority("Simulated Apple root");
const googleRoot = newEcKey();
const wallets = await startWalletServer(merchants);
after(() => wallets.close());
const adyen = await startAdyen();
after(() => adyen.close());
const meters = createMetrics();
const service = await startShop({
  acquirers: "sandbox",
  acquirerOrigins: { adyen: adyen.url },
  walletsHost: "localhost",
  walletServers: { replacement: wallets.replacement, appleRootCertificate: appleRoot.pem },
  inRealTime: true,
  meters,
});
after(() => service.close());
/** The texts of all responses. */
const replies: string[] = [];
const shop: Shop = {
  ...service,
  async send(method, path, sent) {
    const reply = await service.send(method, path, sent);
    replies.push(reply.text);
    return reply;
  },
};
const operator = await createPerson(shop, { operator: true, secondFactor: true });
const merchant = await connectAdyen(shop, adyen);
const other = await connectAdyen(shop, adyen, { merchantAccount: "OtherECOM" });
const { database } = shop.app;
const far = new Date("2100-01-01T00:00:00Z");

wallets.serveGoogleKeys(
  JSON.stringify({
    keys: [
      {
        keyValue: createPublicKey(googleRoot)
          .export({ format: "der", type: "spki" })
          .toString("base64"),
        protocolVersion: "ECv2",
        keyExpiration: String(far.getTime()),
      },
    ],
  }),
);

const reason = "Agreed with the merchant.";
const merchantId = "merchant.com.fieldware";
const domain = "shop.example";
type Name = "google_pay" | "apple_pay";

const pathOf = (account: AccountId, wallet: Name) =>
  `/operator/v1/accounts/${account}/wallets/${wallet}`;

async function walletOf(account: AccountId, wallet: Name): Promise<OperatorWallet> {
  const { body } = await operator.send("GET", `/operator/v1/accounts/${account}/wallets`);
  return body.data.find((one: OperatorWallet) => one.wallet === wallet);
}

const terms = {
  google_pay: {
    integration: "direct",
    status: "enabled",
    merchant_id: "BCR2DN4TXYZ",
    display_name: "Fieldware",
    domains: [],
  },
  apple_pay: {
    integration: "direct",
    status: "enabled",
    merchant_id: merchantId,
    display_name: "Fieldware",
    domains: [domain],
  },
} as const;

/** Saves the configuration of a wallet over the stored one. */
async function save(account: AccountId, wallet: Name, changes: object = {}) {
  const { configuration } = await walletOf(account, wallet);
  const version = configuration?.version ?? 0;
  const body = { version, ...terms[wallet], reason, ...changes };
  return operator.send("PUT", pathOf(account, wallet), body);
}

const keysOf = (wallet: OperatorWallet, purpose: WalletKey["purpose"]) =>
  wallet.keys.filter((key) => key.purpose === purpose);

async function createKey(account: AccountId, wallet: Name, purpose: WalletKey["purpose"]) {
  const created = await operator.send("POST", `${pathOf(account, wallet)}/keys`, {
    purpose,
    reason,
  });
  assert.equal(created.status, 201, created.text);
  return keysOf(created.body, purpose).find(({ status }) => status === "pending") as WalletKey;
}

const change = (account: AccountId, wallet: Name, { id, version }: WalletKey, step: string) =>
  operator.send("POST", `${pathOf(account, wallet)}/keys/${id}/${step}`, { version, reason });

const requestOf = async (account: AccountId, { id }: WalletKey): Promise<string> =>
  (await operator.send("GET", `${pathOf(account, "apple_pay")}/keys/${id}/certificate_request`))
    .body.certificate_request;

const upload = (account: AccountId, { id, version }: WalletKey, certificate: string) =>
  operator.send("PUT", `${pathOf(account, "apple_pay")}/keys/${id}/certificate`, {
    version,
    certificate,
    reason,
  });

/** Creates a key, and gets a certificate for it from the authority. */
async function pendingCertifiedKey(
  account: AccountId,
  purpose: WalletKey["purpose"],
  validTo?: Date,
): Promise<WalletKey> {
  const key = await createKey(account, "apple_pay", purpose);
  const der = issueMerchantCertificate(await requestOf(account, key), {
    issuer: merchants,
    merchantId,
    purpose,
    ...(validTo && { validTo }),
  });
  const stored = await upload(account, key, der.toString("base64"));
  assert.equal(stored.status, 200, stored.text);
  return keysOf(stored.body, purpose).find(({ id }) => id === key.id) as WalletKey;
}

/** Creates a key, gets a certificate for it from the authority, and activates the key. */
async function certifiedKey(
  account: AccountId,
  purpose: WalletKey["purpose"],
  validTo?: Date,
): Promise<WalletKey> {
  const certified = await pendingCertifiedKey(account, purpose, validTo);
  const promoted = await change(account, "apple_pay", certified, "promote");
  assert.equal(promoted.status, 200, promoted.text);
  return keysOf(promoted.body, purpose).find(({ id }) => id === certified.id) as WalletKey;
}

async function googleKey(account: AccountId): Promise<WalletKey> {
  const key = await createKey(account, "google_pay", "payment_processing");
  const promoted = await change(account, "google_pay", key, "promote");
  assert.equal(promoted.status, 200, promoted.text);
  return promoted.body.keys.find(({ id }: WalletKey) => id === key.id);
}

function googleToken(key: WalletKey, changes: Partial<GoogleTokenOptions> = {}): string {
  return createGoogleToken(key, { now: shop.clock.now(), root: googleRoot, ...changes });
}

function appleToken(key: WalletKey, changes: Partial<AppleTokenOptions> = {}): string {
  return createAppleToken(key, { signedAt: shop.clock.now(), root: appleRoot, ...changes });
}

const checkout = (key = merchant.key) => createCheckout(shop, {}, key);

/** The tokens that the service has received, without texts that are not tokens. */
const sentTokens: string[] = [];

function store(browser: Browser, wallet: string, token: string) {
  if (token.length > 100) sentTokens.push(token);
  return shop.send("POST", "/vault/wallet_tokens", {
    headers: { authorization: `Bearer ${browser.secret}` },
    body: { checkout_session_id: browser.session, wallet, token },
  });
}

async function rejection(wallet: Name, token: string, key = merchant.key): Promise<string> {
  const { status, body, text } = await store(await checkout(key), wallet, token);
  assert.equal(status, 400, text);
  assert.equal(body.error.code, "wallet_token_rejected", text);
  return body.error.message;
}

async function offered(wallet: Name, key = merchant.key) {
  const { body } = await (await checkout(key)).readSession();
  return body.wallets.find(({ type }: { type: string }) => type === wallet) ?? null;
}

/** Pays with a stored payment method, and returns the charge when it has succeeded. */
async function payWith(browser: Browser, token: string, wallet: Name) {
  const stored = await store(browser, wallet, token);
  assert.equal(stored.status, 201, stored.text);
  await browser.confirm(stored.body.payment_method_id);
  const list = async () =>
    (await shop.get(`/charges?checkout_session_id=${browser.session}`, { as: merchant.key })).body
      .data[0];
  return until(list, (charge) => charge?.status === "succeeded");
}

type Entry = {
  readonly action: string;
  readonly object_id: string;
  readonly actor: { readonly type: string };
  readonly after: Readonly<Record<string, unknown>> | null;
};

/** Returns the audit entries of the merchant, as a member of its team reads them. */
async function auditEntries(): Promise<Entry[]> {
  const member = await createPerson(shop, { account: merchant.account });
  const { body, text } = await member.api("GET", "/audit_log?limit=100");
  assert.ok(Array.isArray(body.data), text);
  return body.data;
}

test("without a configuration no live wallet is offered, and its tokens are rejected", async () => {
  assert.deepEqual([await offered("google_pay"), await offered("apple_pay")], [null, null]);
  const { configuration, keys } = await walletOf(merchant.account, "apple_pay");
  assert.deepEqual([configuration, keys], [null, []]);
  assert.match(await rejection("google_pay", "{}"), /does not accept the wallet/);
  const created = await operator.send("POST", `${pathOf(merchant.account, "apple_pay")}/keys`, {
    purpose: "merchant_identity",
    reason,
  });
  assert.equal(created.status, 404);
});

let currentGoogleKey: WalletKey;

test("Google Pay is offered with the account's public key once a key is in use, and its token pays", async () => {
  const { account } = merchant;
  assert.equal((await save(account, "google_pay")).status, 200);
  assert.equal(await offered("google_pay"), null);
  const pending = await createKey(account, "google_pay", "payment_processing");
  assert.equal(await offered("google_pay"), null);
  const promoted = await change(account, "google_pay", pending, "promote");
  [currentGoogleKey] = promoted.body.keys;
  const offer = await offered("google_pay");
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

  const charge = await payWith(await checkout(), googleToken(currentGoogleKey), "google_pay");
  assert.equal(charge.payment_method_details.card.wallet, "google_pay");
  assert.equal((await adyen.paymentOf(charge.id)).capturedValue, 1999);
});

test("Google's keys are requested once for all sessions and tokens", () => {
  assert.deepEqual(wallets.googlePaths, ["/paymentmethodtoken/test/keys.json"]);
});

test("400: a Google Pay token that was altered, is for another merchant, expired or replayed is rejected", async () => {
  const token = googleToken(currentGoogleKey);
  const altered = JSON.parse(token);
  const message = JSON.parse(altered.signedMessage);
  altered.signedMessage = JSON.stringify({ ...message, tag: message.encryptedMessage });
  assert.match(await rejection("google_pay", JSON.stringify(altered)), /changed/);
  const foreign = googleToken(currentGoogleKey, { recipient: "merchant:OTHER" });
  assert.match(await rejection("google_pay", foreign), /another merchant/);
  const unsigned = googleToken(currentGoogleKey, { root: newEcKey() });
  assert.match(await rejection("google_pay", unsigned), /not from the wallet/);
  const expired = googleToken(currentGoogleKey, { lifeMs: 0 });
  assert.match(await rejection("google_pay", expired), /expired/);

  const browser = await checkout();
  assert.equal((await store(browser, "google_pay", token)).status, 201);
  assert.equal((await store(browser, "google_pay", token)).status, 201);
  assert.match(await rejection("google_pay", token), /used before/);
});

test("a wallet's token is not accepted as a token of another wallet", async () => {
  assert.match(await rejection("apple_pay", googleToken(currentGoogleKey)), /does not accept/);
  const browser = await checkout();
  const { body } = await store(browser, "test_wallet", googleToken(currentGoogleKey));
  assert.match(body.error.message, /not from the wallet/);
});

test("another account's configuration and keys are never used", async () => {
  assert.equal(await offered("google_pay", other.key), null);
  assert.match(
    await rejection("google_pay", googleToken(currentGoogleKey), other.key),
    /does not accept the wallet/,
  );
  await save(other.account, "google_pay", { merchant_id: "BCR2DN4TXYZ" });
  const otherKey = await googleKey(other.account);
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
  const removed = await change(other.account, "google_pay", currentGoogleKey, "remove");
  assert.equal(removed.status, 404);
  const changed = await change(merchant.account, "apple_pay", currentGoogleKey, "remove");
  assert.equal(changed.status, 404);
});

test("a replaced key decrypts tokens for 30 days, and a job then deletes it", async () => {
  const { account } = merchant;
  const before = currentGoogleKey;
  currentGoogleKey = await googleKey(account);
  assert.equal((await offered("google_pay")).tokenization.public_key, currentGoogleKey.public_key);
  const previous = (await walletOf(account, "google_pay")).keys.find(({ id }) => id === before.id);
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
  const again = await createPerson(shop, { operator: true, secondFactor: true });
  Object.assign(operator, { send: again.send });
  assert.match(await rejection("google_pay", googleToken(before)), /does not have/);

  assert.equal(await deleteExpiredKeys({ database, clock: shop.clock }), 1);
  const { keys } = await walletOf(account, "google_pay");
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
    operator.send("POST", `${pathOf(account, "google_pay")}/keys`, {
      purpose: "payment_processing",
      reason,
    });
  const created = await Promise.all([create(), create(), create()]);
  assert.deepEqual(created.map(({ status }) => status).toSorted(), [201, 400, 400]);
  const { keys } = await walletOf(account, "google_pay");
  const pending = keys.find(({ status }) => status === "pending") as WalletKey;
  const promote = () => change(account, "google_pay", pending, "promote");
  const promoted = await Promise.all([promote(), promote(), promote()]);
  assert.deepEqual(promoted.map(({ status }) => status).toSorted(), [200, 400, 400]);
  const statuses = (await walletOf(account, "google_pay")).keys.map(({ status }) => status);
  assert.deepEqual(statuses, ["current", "previous"]);
});

test("a wallet has at most three previous keys, of which any can be removed", async () => {
  const { account } = other;
  await googleKey(account);
  await googleKey(account);
  const fifth = await createKey(account, "google_pay", "payment_processing");
  const rejected = await change(account, "google_pay", fifth, "promote");
  assert.equal(errorOf(rejected)[2], "status_transition_invalid");
  const { keys } = await walletOf(account, "google_pay");
  const previous = keys.filter(({ status }) => status === "previous");
  assert.equal(previous.length, 3);
  const removed = await change(account, "google_pay", previous[0] as WalletKey, "remove");
  assert.equal(removed.status, 200);
  assert.equal((await change(account, "google_pay", fifth, "promote")).status, 200);
});

test("a removed key decrypts nothing", async () => {
  const key = currentGoogleKey;
  assert.equal((await change(merchant.account, "google_pay", key, "remove")).status, 200);
  assert.equal(await offered("google_pay"), null);
  assert.match(await rejection("google_pay", googleToken(key)), /does not have/);
  currentGoogleKey = await googleKey(merchant.account);
});

test("a disabled wallet is not offered, and its tokens are rejected", async () => {
  assert.equal((await save(merchant.account, "google_pay", { status: "disabled" })).status, 200);
  assert.equal(await offered("google_pay"), null);
  assert.match(await rejection("google_pay", googleToken(currentGoogleKey)), /does not accept/);
  assert.equal(
    (await save(merchant.account, "google_pay", { integration: "gateway" })).status,
    200,
  );
  // The acquirer decrypts the tokens, and the account's own key does not any more.
  assert.equal((await offered("google_pay")).tokenization.type, "PAYMENT_GATEWAY");
  assert.match(await rejection("google_pay", googleToken(currentGoogleKey)), /does not accept/);
  assert.equal((await save(merchant.account, "google_pay")).status, 200);
});

let appleKey: WalletKey;
let identityKey: WalletKey;

test("Apple Pay is offered once both certificates are in use, and its token pays", async () => {
  const { account } = merchant;
  assert.equal((await save(account, "apple_pay")).status, 200);
  appleKey = await certifiedKey(account, "payment_processing");
  assert.equal(await offered("apple_pay"), null);
  identityKey = await certifiedKey(account, "merchant_identity");
  const offer = await offered("apple_pay");
  assert.deepEqual(
    [offer.merchant_identifier, offer.display_name, offer.domains, offer.country_code],
    [merchantId, "Fieldware", [domain], "US"],
  );
  assert.deepEqual([offer.merchant_capabilities, offer.assignment], [["supports3DS"], null]);
  assert.ok(offer.supported_networks.includes("masterCard"));
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

test("an expired certificate stops the offer, and the metric shows the first expiry", async () => {
  const { account } = merchant;
  const soon = new Date(Math.floor(shop.clock.now().getTime() / 1_000) * 1_000 + 20 * minute);
  await certifiedKey(account, "merchant_identity", soon);
  assert.ok(await offered("apple_pay"));
  const expiries = await readCertificateExpiries(database.read);
  const found = expiries.find(({ purpose }) => purpose === "merchant_identity");
  assert.deepEqual(found?.expiresAt, soon);
  shop.clock.advance(20 * minute);
  const again = await createPerson(shop, { operator: true, secondFactor: true });
  Object.assign(operator, { send: again.send });
  assert.equal(await offered("apple_pay"), null);
  assert.deepEqual(errorOf(await startSession(await checkout())), [
    400,
    "invalid_request_error",
    "parameter_invalid",
    "id",
  ]);
  identityKey = await certifiedKey(account, "merchant_identity");
  assert.ok(await offered("apple_pay"));
  // A replaced key for mutual TLS is deleted at once.
  const { keys } = await walletOf(account, "apple_pay");
  assert.equal(keys.filter(({ purpose }) => purpose === "merchant_identity").length, 1);
});

test("400: a key whose certificate has expired does not replace the current key", async () => {
  const { account } = merchant;
  const soon = new Date(Math.floor(shop.clock.now().getTime() / 1_000) * 1_000 + minute);
  const pending = await pendingCertifiedKey(account, "merchant_identity", soon);
  shop.clock.advance(minute);
  const rejected = await change(account, "apple_pay", pending, "promote");
  assert.equal(errorOf(rejected)[2], "status_transition_invalid");
  assert.match(rejected.body.error.message, /expired/);
  const keys = keysOf(await walletOf(account, "apple_pay"), "merchant_identity");
  const current = keys.find(({ status }) => status === "current");
  assert.equal(current?.id, identityKey.id);
  assert.equal((await change(account, "apple_pay", pending, "remove")).status, 200);
});

const validationUrl = "https://apple-pay-gateway-cert.apple.com/paymentservices/startSession";

const startSession = (browser: Browser, body: object = {}) =>
  shop.send("POST", `/embed/api/checkout_sessions/${browser.session}/apple_pay_session`, {
    headers: { authorization: `Bearer ${browser.secret}` },
    body: { validation_url: validationUrl, domain, ...body },
  });

test("a merchant session is requested with the merchant's certificate, and returned unchanged", async () => {
  const session = { epochTimestamp: 1, nonce: "2d18eab4", signature: "308006", nested: { a: [1] } };
  wallets.respondWith(() => ({ body: JSON.stringify(session) }));
  const { status, body, text } = await startSession(await checkout());
  assert.equal(status, 200, text);
  assert.deepEqual(body, { merchant_session: session });
  assert.deepEqual(wallets.requests.at(-1), {
    host: "apple-pay-gateway-cert.apple.com",
    path: "/paymentservices/startSession",
    client: `Apple Pay merchant_identity:${merchantId}`,
    body: {
      merchantIdentifier: merchantId,
      displayName: "Fieldware",
      initiative: "web",
      initiativeContext: domain,
    },
  });
});

test("400: a merchant session for another domain, server or account is not requested", async () => {
  const count = wallets.requests.length;
  const codeOf = async (body: object, browser?: Browser) =>
    errorOf(await startSession(browser ?? (await checkout()), body)).slice(2);
  assert.deepEqual(await codeOf({ domain: "evil.example" }), ["parameter_invalid", "domain"]);
  for (const url of [
    "https://evil.example/paymentservices/startSession",
    "https://127.0.0.1/paymentservices/startSession",
    "http://apple-pay-gateway.apple.com/paymentservices/startSession",
  ]) {
    assert.deepEqual(await codeOf({ validation_url: url }), [
      "parameter_invalid",
      "validation_url",
    ]);
  }
  assert.deepEqual(await codeOf({}, await checkout(other.key)), ["parameter_invalid", "id"]);
  const testMode = await createCheckout(shop);
  assert.deepEqual(await codeOf({}, testMode), ["parameter_invalid", "id"]);
  const stranger = await startSession({ ...(await checkout()), secret: testMode.secret });
  assert.equal(stranger.status, 404);
  assert.equal(wallets.requests.length, count);
});

/** Returns the number of failed requests for merchant sessions in the metrics. */
async function failedSessions(): Promise<number> {
  const metric = meters.registry.getSingleMetric("florin_apple_pay_sessions_total");
  const found = (await metric?.get())?.values.find(({ labels }) => labels.outcome === "failed");
  return found?.value ?? Number.NaN;
}

for (const [problem, answer] of [
  ["an error", { status: 417 }],
  ["a redirect", { status: 302, headers: { location: "https://evil.example/" } }],
  ["text that is not an object", { body: "[1]" }],
  ["more than 64 KiB", { body: JSON.stringify({ a: "x".repeat(65 * 1024) }) }],
] as const) {
  test(`400: ${problem} of Apple's server is no merchant session, but a warning and a metric`, async () => {
    const count = wallets.requests.length;
    const failures = await failedSessions();
    const lines = shop.log.length;
    wallets.respondWith(() => answer);
    const reply = await startSession(await checkout());
    assert.deepEqual(errorOf(reply).slice(0, 3), [
      400,
      "invalid_request_error",
      "wallet_session_failed",
    ]);
    assert.equal(wallets.requests.length, count + 1);
    assert.equal(await failedSessions(), failures + 1);
    const logged = shop.log.slice(lines).filter(({ level }) => Number(level) > 30);
    assert.deepEqual(
      logged.map(({ level, account, msg }) => [level, account, msg]),
      [[40, merchant.account, "apple pay: Apple returned no merchant session"]],
    );
    wallets.respondWith(() => ({}));
  });
}

test("429: a session requests at most five merchant sessions in a burst", async () => {
  const browser = await checkout();
  // Stops the clock that refills the token bucket.
  const stopped = performance.now();
  const clock = mock.method(performance, "now", () => stopped);
  const statuses: number[] = [];
  for (let count = 0; count < 6; count++) statuses.push((await startSession(browser)).status);
  clock.mock.restore();
  assert.deepEqual(statuses.slice(0, 5), [200, 200, 200, 200, 200]);
  assert.equal(statuses[5], 429);
});

test("429: at most ten merchant sessions of an account wait for Apple", async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  wallets.respondWith(() => ({ after: released }));
  const count = wallets.requests.length;
  const browsers = await Promise.all(Array.from({ length: 11 }, () => checkout()));
  const waiting = browsers.slice(0, 10).map((browser) => startSession(browser));
  await until(
    async () => wallets.requests.length,
    (length) => length === count + 10,
  );
  const reply = await startSession(browsers[10] as Browser);
  assert.deepEqual(errorOf(reply).slice(0, 3), [429, "rate_limit_error", "rate_limit_exceeded"]);
  assert.equal(wallets.requests.length, count + 10);
  release();
  assert.ok((await Promise.all(waiting)).every(({ status }) => status === 200));
  wallets.respondWith(() => ({}));
  assert.equal((await startSession(browsers[10] as Browser)).status, 200);
});

test("429: one merchant session of a checkout session waits for Apple at a time", async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  wallets.respondWith(() => ({ after: released }));
  const count = wallets.requests.length;
  const browser = await checkout();
  const waiting = startSession(browser);
  await until(
    async () => wallets.requests.length,
    (length) => length === count + 1,
  );
  const second = await startSession(browser);
  assert.deepEqual(errorOf(second).slice(0, 3), [429, "rate_limit_error", "rate_limit_exceeded"]);
  release();
  assert.equal((await waiting).status, 200);
  wallets.respondWith(() => ({}));
  assert.equal((await startSession(browser)).status, 200);
  assert.equal(wallets.requests.length, count + 2);
});

test("changes need the version that the operator saw, a step-up and the right wallet", async () => {
  const { account } = merchant;
  const stale = await save(account, "apple_pay", { version: 0 });
  assert.deepEqual(errorOf(stale), [400, "invalid_request_error", "resource_changed", "version"]);
  const key = await createKey(account, "apple_pay", "payment_processing");
  const twice = await operator.send("POST", `${pathOf(account, "apple_pay")}/keys`, {
    purpose: "payment_processing",
    reason,
  });
  assert.equal(errorOf(twice)[2], "status_transition_invalid");
  const early = await change(account, "apple_pay", key, "promote");
  assert.equal(errorOf(early)[2], "status_transition_invalid");
  const old = await change(account, "apple_pay", { ...key, version: 9 }, "remove");
  assert.equal(errorOf(old)[2], "resource_changed");
  const wrong = issueMerchantCertificate(await requestOf(account, key), {
    issuer: merchants,
    merchantId: "merchant.com.other",
    purpose: "payment_processing",
  });
  const rejected = await upload(account, key, wrong.toString("base64"));
  assert.deepEqual(errorOf(rejected).slice(2), ["parameter_invalid", "certificate"]);
  const renamed = await save(account, "apple_pay", { merchant_id: "merchant.com.other" });
  assert.deepEqual(errorOf(renamed).slice(2), ["parameter_invalid", "merchant_id"]);
  assert.equal((await change(account, "apple_pay", key, "remove")).status, 200);

  const identity = await operator.send("POST", `${pathOf(account, "google_pay")}/keys`, {
    purpose: "merchant_identity",
    reason,
  });
  assert.deepEqual(errorOf(identity).slice(2), ["parameter_invalid", "purpose"]);
  const domains = await save(account, "google_pay", { domains: [domain] });
  assert.deepEqual(errorOf(domains).slice(2), ["parameter_invalid", "domains"]);
  const nameless = await save(account, "apple_pay", { merchant_id: null });
  assert.deepEqual(errorOf(nameless).slice(2), ["parameter_invalid", "merchant_id"]);
  const unknown = await operator.send("PUT", `/operator/v1/accounts/${account}/wallets/other`, {
    version: 0,
    ...terms.google_pay,
    reason,
  });
  assert.equal(unknown.status, 404);

  const member = await createPerson(shop, {
    account,
    operator: true,
    secondFactor: true,
  });
  const own = await member.send("PUT", pathOf(account, "google_pay"), {
    version: 1,
    ...terms.google_pay,
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
    async () => {
      const [row] = await database.read<{ count: number }>`
        select count(*)::int as count
          from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'
           and query like '%wallet_configurations%'
      `;
      return row?.count;
    },
    (count) => count === 1,
  );
  await client.query("commit");
  await client.end();
  return response;
}

test("a certificate and another merchant identifier cannot be stored concurrently", async () => {
  const { account } = other;
  assert.equal((await save(account, "apple_pay", { status: "disabled" })).status, 200);
  const key = await createKey(account, "apple_pay", "payment_processing");
  const certificate = issueMerchantCertificate(await requestOf(account, key), {
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
    () => upload(account, key, certificate.toString("base64")),
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
    () => save(account, "apple_pay", { status: "disabled" }),
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

/** Returns the secret parts of a private key in PKCS #8: all of it, and the numbers without the public key. */
function secretsOf(der: Buffer): Buffer[] {
  const { d, p, q } = createPrivateKey({ key: der, format: "der", type: "pkcs8" }).export({
    format: "jwk",
  });
  const numbers = [d, p, q].filter((number) => number !== undefined);
  return [der, ...numbers.map((number) => Buffer.from(number, "base64url"))];
}

test("no response, audit entry or log line contains a private key or a token", async () => {
  const keys = createLocalKeyProvider(shop.settings.FLORIN_KEYS);
  const rows = await database.read<{ account_id: string; id: string; private_key: Buffer }>`
    select account_id, id, private_key from wallet_keys
  `;
  const privateKeys = await Promise.all(
    rows.map(({ account_id, id, private_key }) =>
      decryptPrivateKey(keys, idFromUuid("acct", account_id), idFromUuid("wk", id), private_key),
    ),
  );
  const entries = JSON.stringify(await auditEntries());
  // Without line breaks, which would divide the base64 of a PEM.
  const texts = [...replies, entries, JSON.stringify(shop.log)]
    .map((text) => text.replaceAll(/\\[rn]|[\r\n]/g, ""))
    .join("\n");
  const contains = (secret: string | Buffer) =>
    formsOf(secret).some((form) => texts.includes(form));
  // The search finds the key that is public.
  assert.ok(contains(Buffer.from(currentGoogleKey.public_key as string, "base64")));
  assert.ok(privateKeys.length > 0 && sentTokens.length > 0);
  for (const secret of privateKeys.flatMap(secretsOf)) assert.equal(contains(secret), false);
  for (const token of sentTokens) {
    const { signature, data, signedMessage } = JSON.parse(token);
    for (const part of [token, signature, data ?? JSON.parse(signedMessage).encryptedMessage]) {
      assert.equal(contains(part), false);
    }
  }
  assert.equal(texts.includes(walletCard.pan), false);
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
  const stored = await save(merchant.account, "apple_pay", { domain_association });
  assert.equal(stored.status, 200, stored.text);
  assert.deepEqual((await findCardsOutsideTheVault(database.read)).sentences, []);
  const served = await fetch(shop.url + path);
  assert.equal(served.status, 200);
  assert.equal(await served.text(), file);
  assert.match(served.headers.get("content-type") ?? "", /^text\/plain/);
  // Other changes keep the file.
  assert.equal((await save(merchant.account, "apple_pay")).status, 200);
  const { configuration } = await walletOf(merchant.account, "apple_pay");
  assert.equal(configuration?.has_domain_association, true);
  await save(merchant.account, "apple_pay", { domain_association: null });
  assert.equal((await shop.send("GET", path)).status, 404);
});

test("of the files of several accounts, the one that was stored last is served", async () => {
  const path = "/.well-known/apple-developer-merchantid-domain-association";
  const served = async () => (await fetch(shop.url + path)).text();
  const store = async (account: AccountId, file: string) => {
    shop.clock.advance(1_000);
    const domain_association = Buffer.from(file).toString("base64");
    const merchant_id = account === other.account ? "merchant.com.other" : merchantId;
    const stored = await save(account, "apple_pay", { merchant_id, domain_association });
    assert.equal(stored.status, 200, stored.text);
  };
  await store(other.account, "0A");
  await store(merchant.account, "0B");
  await store(other.account, "0C");
  assert.equal(await served(), "0C");
  // A later change without a file is no upload.
  shop.clock.advance(1_000);
  assert.equal((await save(merchant.account, "apple_pay")).status, 200);
  assert.equal(await served(), "0C");
  await store(merchant.account, "0D");
  assert.equal(await served(), "0D");
});
