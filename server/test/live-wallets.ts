import assert from "node:assert/strict";
import { createPrivateKey } from "node:crypto";
import type { WalletKey } from "@florin/contract/operator-wallets.ts";
import type { DigitalWallet } from "@florin/contract/payment-method.ts";
import { idFromUuid } from "../src/core/ids.ts";
import { createMetrics } from "../src/insights/monitoring/process-metrics.ts";
import { createLocalKeyProvider } from "../src/vault/local-key-provider.ts";
import { readDecryptedKey } from "../src/vault/wallets/configurations/wallet-key-secrets.ts";
import { connectAdyen, startAdyen } from "./adyen.ts";
import { type Browser, createCheckout } from "./checkout.ts";
import type { Reply } from "./client.ts";
import {
  type AppleTokenOptions,
  createAppleToken,
  createGoogleToken,
  type GoogleTokenOptions,
} from "./live-wallet-tokens.ts";
import { createPerson } from "./person.ts";
import { formsOf } from "./secret-forms.ts";
import { type Shop, startShop } from "./shop.ts";
import { createAuthority, newEcKey } from "./wallet-certificates.ts";
import { createWalletClient, domain } from "./wallet-operator.ts";
import { listRootKey, startWalletServer } from "./wallet-server.ts";

/** An audit entry, as a member of the merchant's team reads it. */
type ReadAuditEntry = {
  readonly action: string;
  readonly object_id: string;
  readonly actor: { readonly type: string };
  readonly after: Readonly<Record<string, unknown>> | null;
};

const validationUrl = "https://apple-pay-gateway-cert.apple.com/paymentservices/startSession";

/**
 * Starts the service in live mode with a fake of Adyen and servers that replace those of Google and Apple. Two
 * merchants take payments. No operator has configured their wallets yet.
 */
export async function startLiveWallets() {
  const merchants = createAuthority("Simulated Apple certificate authority");
  const appleRoot = createAuthority("Simulated Apple root");
  const googleRoot = newEcKey();
  const wallets = await startWalletServer(merchants);
  wallets.serveGoogleKeys(listRootKey(googleRoot));
  const adyen = await startAdyen();
  const meters = createMetrics();
  const service = await startShop({
    acquirers: "sandbox",
    acquirerOrigins: { adyen: adyen.url },
    walletsHost: "localhost",
    walletServers: { replacement: wallets.replacement, appleRootCertificate: appleRoot.pem },
    inRealTime: true,
    meters,
  });
  /** The texts of the responses to all requests that `shop.send` has sent. */
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

  const checkout = (key = merchant.key) => createCheckout(shop, {}, key);
  /** The tokens that the service has received. Excludes texts that are too short for a token. */
  const sentTokens: string[] = [];

  function store(browser: Browser, wallet: string, token: string): Promise<Reply> {
    if (token.length > 100) sentTokens.push(token);
    return shop.send("POST", "/vault/wallet_tokens", {
      headers: { authorization: `Bearer ${browser.secret}` },
      body: { checkout_session_id: browser.session, wallet, token },
    });
  }

  /** Returns the audit entries of the merchant. */
  async function auditEntries(): Promise<ReadAuditEntry[]> {
    const member = await createPerson(shop, { account: merchant.account });
    const { body, text } = await member.api("GET", "/audit_log?limit=100");
    assert.ok(Array.isArray(body.data), text);
    return body.data;
  }

  return {
    shop,
    adyen,
    wallets,
    meters,
    merchants,
    operator,
    merchant,
    other,
    client: createWalletClient(operator, merchants),
    checkout,
    store,
    sentTokens,
    auditEntries,
    /** Signs the operator in again after the session has expired. */
    async signInAgain() {
      const { send } = await createPerson(shop, { operator: true, secondFactor: true });
      Object.assign(operator, { send });
    },
    googleToken: (key: WalletKey, changes: Partial<GoogleTokenOptions> = {}) =>
      createGoogleToken(key, { now: shop.clock.now(), root: googleRoot, ...changes }),
    appleToken: (key: WalletKey, changes: Partial<AppleTokenOptions> = {}) =>
      createAppleToken(key, { signedAt: shop.clock.now(), root: appleRoot, ...changes }),
    /** Returns the message of the error for a token in a new session. */
    async rejection(wallet: DigitalWallet, token: string, key = merchant.key): Promise<string> {
      const { status, body, text } = await store(await checkout(key), wallet, token);
      assert.equal(status, 400, text);
      assert.equal(body.error.code, "wallet_token_rejected", text);
      return body.error.message;
    },
    /** Returns the offer of a wallet in a new session, or null. */
    async offered(wallet: DigitalWallet, key = merchant.key) {
      const { body } = await (await checkout(key)).readSession();
      return body.wallets.find(({ type }: { type: string }) => type === wallet) ?? null;
    },
    /** Requests a merchant session of Apple Pay. */
    startSession: (browser: Browser, body: object = {}): Promise<Reply> =>
      shop.send("POST", `/embed/api/checkout_sessions/${browser.session}/apple_pay_session`, {
        headers: { authorization: `Bearer ${browser.secret}` },
        body: { validation_url: validationUrl, domain, ...body },
      }),
    /** Returns the secret parts of the private keys of all accounts. */
    async readPrivateKeys(): Promise<Buffer[]> {
      const keys = createLocalKeyProvider(shop.settings.FLORIN_KEYS);
      const { database } = shop.app;
      const rows = await database.read<{ account_id: string; id: string }>`
        select account_id, id from wallet_keys
      `;
      assert.ok(rows.length > 0);
      const privateKeys = await Promise.all(
        rows.map(({ account_id, id }) =>
          readDecryptedKey(
            { database, keys },
            idFromUuid("acct", account_id),
            idFromUuid("wk", id),
          ),
        ),
      );
      return privateKeys.filter((key) => key !== null).flatMap(secretsOf);
    },
    /**
     * Returns a function that reports whether the responses, audit entries and log lines up to now contain a secret.
     */
    async searchOutput(): Promise<(secret: string | Buffer) => boolean> {
      const entries = JSON.stringify(await auditEntries());
      // Removes line breaks, which would divide the base64 of a PEM.
      const texts = [...replies, entries, JSON.stringify(shop.log)]
        .map((text) => text.replaceAll(/\\[rn]|[\r\n]/g, ""))
        .join("\n");
      return (secret) => formsOf(secret).some((form) => texts.includes(form));
    },
    async close() {
      await service.close();
      await adyen.close();
      await wallets.close();
    },
  };
}

/** Returns the secret parts of a private key in PKCS #8: the whole encoding, and each number that is secret. */
function secretsOf(der: Buffer): Buffer[] {
  const { d, p, q } = createPrivateKey({ key: der, format: "der", type: "pkcs8" }).export({
    format: "jwk",
  });
  const numbers = [d, p, q].filter((number) => number !== undefined);
  return [der, ...numbers.map((number) => Buffer.from(number, "base64url"))];
}
