import assert from "node:assert/strict";
import type {
  OperatorWallet,
  WalletKey,
  WalletKeyPurpose,
} from "@florin/contract/operator-wallets.ts";
import type { DigitalWallet } from "@florin/contract/payment-method.ts";
import type { AccountId } from "../src/core/ids.ts";
import type { Reply } from "./client.ts";
import type { TestPerson } from "./person.ts";
import { issueMerchantCertificate, type TestAuthority } from "./wallet-certificates.ts";

export const reason = "Agreed with the merchant.";
export const merchantId = "merchant.com.fieldware";
/** The domain of the merchant's shop, on which it offers Apple Pay. */
export const domain = "shop.example";

/** The wallet configurations of a merchant for whom the service decrypts the tokens itself. */
export const walletTerms = {
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

export const walletPath = (account: AccountId, wallet: string) =>
  `/operator/v1/accounts/${account}/wallets/${wallet}`;

export const keysOf = (wallet: OperatorWallet, purpose: WalletKeyPurpose) =>
  wallet.keys.filter((key) => key.purpose === purpose);

/** A client for an operator's requests about the wallets of accounts. */
export type WalletClient = {
  read(account: AccountId, wallet: DigitalWallet): Promise<OperatorWallet>;
  /** Saves the configuration of a wallet over the stored one. */
  save(account: AccountId, wallet: DigitalWallet, changes?: object): Promise<Reply>;
  /** Creates a key, which is pending, and returns it. */
  createKey(
    account: AccountId,
    wallet: DigitalWallet,
    purpose: WalletKeyPurpose,
  ): Promise<WalletKey>;
  change(account: AccountId, wallet: DigitalWallet, key: WalletKey, step: string): Promise<Reply>;
  /** Returns the certificate request of a key in PEM. */
  readCertificateRequest(account: AccountId, key: WalletKey): Promise<string>;
  /** Stores the certificate of a key, in base64. */
  upload(account: AccountId, key: WalletKey, certificate: string): Promise<Reply>;
  /** Creates a key of Apple Pay, and stores a certificate for it. */
  createCertifiedKey(
    account: AccountId,
    purpose: WalletKeyPurpose,
    validTo?: Date,
  ): Promise<WalletKey>;
  /** Creates a key of Apple Pay, stores a certificate for it, and puts the key into use. */
  activateCertifiedKey(
    account: AccountId,
    purpose: WalletKeyPurpose,
    validTo?: Date,
  ): Promise<WalletKey>;
  /** Creates a key of Google Pay and puts it into use. */
  activateGoogleKey(account: AccountId): Promise<WalletKey>;
};

/** Creates the client of an operator who gets the certificates of Apple Pay from the authority `merchants`. */
export function createWalletClient(
  operator: Pick<TestPerson, "send">,
  merchants: TestAuthority,
): WalletClient {
  const client: WalletClient = {
    async read(account, wallet) {
      const { body } = await operator.send("GET", `/operator/v1/accounts/${account}/wallets`);
      return body.data.find((one: OperatorWallet) => one.wallet === wallet);
    },
    async save(account, wallet, changes = {}) {
      const { configuration } = await client.read(account, wallet);
      const version = configuration?.version ?? 0;
      const body = { version, ...walletTerms[wallet], reason, ...changes };
      return operator.send("PUT", walletPath(account, wallet), body);
    },
    async createKey(account, wallet, purpose) {
      const path = `${walletPath(account, wallet)}/keys`;
      const created = await operator.send("POST", path, { purpose, reason });
      assert.equal(created.status, 201, created.text);
      return keysOf(created.body, purpose).find(({ status }) => status === "pending") as WalletKey;
    },
    change: (account, wallet, { id, version }, step) =>
      operator.send("POST", `${walletPath(account, wallet)}/keys/${id}/${step}`, {
        version,
        reason,
      }),
    async readCertificateRequest(account, { id }) {
      const path = `${walletPath(account, "apple_pay")}/keys/${id}/certificate_request`;
      return (await operator.send("GET", path)).body.certificate_request;
    },
    upload: (account, { id, version }, certificate) =>
      operator.send("PUT", `${walletPath(account, "apple_pay")}/keys/${id}/certificate`, {
        version,
        certificate,
        reason,
      }),
    async createCertifiedKey(account, purpose, validTo) {
      const key = await client.createKey(account, "apple_pay", purpose);
      const der = issueMerchantCertificate(await client.readCertificateRequest(account, key), {
        issuer: merchants,
        merchantId,
        purpose,
        ...(validTo && { validTo }),
      });
      const stored = await client.upload(account, key, der.toString("base64"));
      assert.equal(stored.status, 200, stored.text);
      return keysOf(stored.body, purpose).find(({ id }) => id === key.id) as WalletKey;
    },
    async activateCertifiedKey(account, purpose, validTo) {
      const certified = await client.createCertifiedKey(account, purpose, validTo);
      const promoted = await client.change(account, "apple_pay", certified, "promote");
      assert.equal(promoted.status, 200, promoted.text);
      return keysOf(promoted.body, purpose).find(({ id }) => id === certified.id) as WalletKey;
    },
    async activateGoogleKey(account) {
      const key = await client.createKey(account, "google_pay", "payment_processing");
      const promoted = await client.change(account, "google_pay", key, "promote");
      assert.equal(promoted.status, 200, promoted.text);
      return promoted.body.keys.find(({ id }: WalletKey) => id === key.id);
    },
  };
  return client;
}
