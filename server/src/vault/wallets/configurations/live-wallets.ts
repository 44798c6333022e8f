import { X509Certificate } from "node:crypto";
import type { DigitalWallet } from "@florin/contract/payment-method.ts";
import type { Clock } from "../../../core/clock.ts";
import type { AccountId, WalletKeyId } from "../../../core/ids.ts";
import type { Timers } from "../../../core/timers.ts";
import { ttlCache } from "../../../core/ttl-cache.ts";
import type { Database } from "../../../platform/database/database.ts";
import type { KeyProvider } from "../../key-provider.ts";
import { decryptToken as decryptAppleToken } from "../apple-pay/decrypt-token.ts";
import { decryptToken as decryptGoogleToken } from "../google-pay/decrypt-token.ts";
import { createRootKeySource } from "../google-pay/root-key-source.ts";
import { createSendHttps } from "../https-request.ts";
import type { AcceptedByAcquirers, OfferedLiveWallet } from "../offered-wallet.ts";
import type { Recipient } from "../recipient.ts";
import type { WalletServers } from "../wallet-servers.ts";
import { type DecryptedToken, rejectToken } from "../wallet-token.ts";
import { createAppleSessions, type StartAppleSession } from "./apple-sessions.ts";
import { listConfigurations, readConfiguration } from "./wallet-configuration.sql.ts";
import type { WalletConfiguration } from "./wallet-configuration.ts";
import { listKeys } from "./wallet-key.sql.ts";
import { decryptionKeys } from "./wallet-key.ts";
import { readDecryptedKey, takeScalar } from "./wallet-key-secrets.ts";
import { offerOf } from "./wallet-offer.ts";
import type { WalletService } from "./why-not-offered.ts";

/** Google Pay and Apple Pay with the configurations of the accounts. Only live mode has them. */
export type LiveWallets = {
  /** Returns the wallets that the card form offers for a payment. */
  offered(
    account: AccountId,
    country: string,
    accepted: AcceptedByAcquirers,
  ): Promise<OfferedLiveWallet[]>;
  /** Verifies and decrypts a token with the keys of the account. */
  decrypt(account: AccountId, wallet: DigitalWallet, token: string): Promise<DecryptedToken>;
  acceptsGatewayTokens(account: AccountId, wallet: DigitalWallet): Promise<boolean>;
  startAppleSession: StartAppleSession;
};

/** Reports failures of the wallets' servers. No argument contains data of a token or a key. */
export type WalletLog = {
  googleKeysFailed(code: string): void;
  appleSessionFailed(account: AccountId, code: string): void;
};

export type LiveWalletOptions = WalletService & {
  readonly database: Database;
  readonly keys: KeyProvider;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly servers: WalletServers;
  readonly log: WalletLog;
  /** Called after each request to Apple for a merchant session. */
  readonly onAppleSession?: (outcome: "created" | "failed") => void;
};

/** The maximum time that a page load waits for Google's keys. */
const maxOfferDelayMs = 500;
/** The maximum time that the decryption of a token waits for Google's keys. */
const maxTokenDelayMs = 4_000;

/**
 * The time for which a process caches a decrypted private key, so that a burst of wallet tokens needs one call of the
 * key server for each key.
 */
const decryptedKeyLifeMs = 60_000;

/** The merchant ID that Google signs in its environment `TEST` for a merchant without an ID. */
const testMerchantId = "12345678901234567890";

export function createLiveWallets(options: LiveWalletOptions): LiveWallets {
  const { database, clock, timers, servers, log } = options;
  const send = createSendHttps(timers, servers.replacement);
  const appleRoot = new X509Certificate(servers.appleRootCertificate);
  const googleKeys = createRootKeySource({
    url: servers.googleKeysUrl,
    send,
    clock,
    timers,
    onFailure: log.googleKeysFailed,
  });
  /** True if the last page load did not get the keys. */
  let areKeysLate = false;

  /**
   * Returns whether Google's keys are known. During an outage of Google, only the first page load waits for the keys.
   * Later page loads start a request for the keys without waiting for it, and use the keys once they have arrived.
   */
  async function hasGoogleKeys(): Promise<boolean> {
    const found = await googleKeys.read(areKeysLate ? 0 : maxOfferDelayMs);
    areKeysLate = found === null;
    return found !== null;
  }

  const scalarAt = ttlCache(decryptedKeyLifeMs, async (place: string): Promise<Buffer | null> => {
    const [account, id] = place.split(" ") as [AccountId, WalletKeyId];
    const privateKey = await readDecryptedKey(options, account, id);
    return privateKey && takeScalar(privateKey);
  });

  /** Returns the wallet's configuration if it is enabled and has this integration. Otherwise returns null. */
  async function enabled(
    account: AccountId,
    wallet: DigitalWallet,
    integration: WalletConfiguration["integration"],
  ): Promise<WalletConfiguration | null> {
    const found = await readConfiguration(database.read, account, wallet);
    return found?.status === "enabled" && found.integration === integration ? found : null;
  }

  async function recipientOf({
    account,
    wallet,
    merchantId,
  }: WalletConfiguration): Promise<Recipient> {
    const stored = await listKeys(database.read, account);
    const usable = decryptionKeys(stored, wallet, clock.now());
    const scalars = await Promise.all(usable.map(({ id }) => scalarAt(`${account} ${id}`)));
    const privateKeys = scalars.filter((scalar) => scalar !== null);
    const id =
      wallet === "google_pay" ? `merchant:${merchantId ?? testMerchantId}` : `${merchantId}`;
    return { id, privateKeys };
  }

  return {
    async offered(account, country, accepted) {
      const configurations = await listConfigurations(database.read, account);
      if (configurations.length === 0) return [];
      const stored = await listKeys(database.read, account);
      const now = clock.now();
      const offered = { country, accepted, service: options, now, hasGoogleKeys };
      const offers = await Promise.all(configurations.map((one) => offerOf(one, stored, offered)));
      return offers.filter((offer) => offer !== null);
    },

    async decrypt(account, wallet, token) {
      const configuration = await enabled(account, wallet, "direct");
      if (!configuration) return rejectToken("not_accepted");
      if (wallet === "apple_pay") {
        const recipient = await recipientOf(configuration);
        return decryptAppleToken(token, appleRoot, recipient, clock.now());
      }
      const rootKeys = await googleKeys.read(maxTokenDelayMs);
      if (!rootKeys) return rejectToken("no_root_keys");
      return decryptGoogleToken(token, rootKeys, await recipientOf(configuration), clock.now());
    },

    async acceptsGatewayTokens(account, wallet) {
      return (await enabled(account, wallet, "gateway")) !== null;
    },

    startAppleSession: createAppleSessions({ ...options, send }),
  };
}
