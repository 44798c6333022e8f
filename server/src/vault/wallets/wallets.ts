import { X509Certificate } from "node:crypto";
import type { OfferedTestWallet } from "@florin/contract/frame.ts";
import type { DigitalWallet, WalletType } from "@florin/contract/payment-method.ts";
import type { Scope } from "../../core/scope.ts";
import { appleRootCertificate } from "./apple-pay/apple-root-certificate.ts";
import { decryptToken as decryptAppleToken } from "./apple-pay/decrypt-token.ts";
import type { AppleSessionRequest, AppleSessionResult } from "./configurations/apple-sessions.ts";
import { createLiveWallets, type LiveWalletOptions } from "./configurations/live-wallets.ts";
import { decryptToken as decryptGoogleToken } from "./google-pay/decrypt-token.ts";
import { productionKeysUrl, testKeysUrl } from "./google-pay/root-key-source.ts";
import { readRootKeys } from "./google-pay/root-keys.ts";
import type { AcceptedByAcquirers, OfferedLiveWallet } from "./offered-wallet.ts";
import { objectOf, parse } from "./read-json-object.ts";
import type { Recipient } from "./recipient.ts";
import { createTestRecipients } from "./test-recipient.ts";
import type { WalletServers } from "./wallet-servers.ts";
import { type DecryptedToken, type RejectedToken, rejectToken } from "./wallet-token.ts";

/** Test mode's wallet. The simulator implements it. */
export type TestWallet = {
  /** The keys that sign the wallet's signing keys, in the format of Google's file `keys.json`. */
  readonly rootKeys: string;
  /** The certificate that issues the wallet's other certificates, in PEM. */
  readonly rootCertificate: string;
  /** The path on the service's origin at which the customer's browser requests a token. */
  readonly tokenPath: string;
  /** The cards in the wallet. */
  readonly cards: readonly TestWalletCard[];
};

export type TestWalletCard = {
  readonly id: string;
  /** The outcome of a payment with the card, in English. */
  readonly label: string;
  readonly brand: "visa" | "mastercard";
  readonly last4: string;
};

/** A wallet that the card form offers, as the API returns it. */
export type OfferedWallet = OfferedTestWallet | OfferedLiveWallet;

/** The wallets from which customers can pay, and the keys that decrypt their tokens. */
export type Wallets = {
  /** Returns the wallets that the card form offers for a payment. `country` is the country of the account. */
  offered(
    scope: Scope,
    country: string,
    accepted: AcceptedByAcquirers,
  ): Promise<readonly OfferedWallet[]>;
  /**
   * Verifies and decrypts a wallet's token that is encrypted to a key of the account. Does not check whether the token
   * was used before, which `claimToken` does.
   */
  decrypt(scope: Scope, wallet: WalletType, token: string): Promise<DecryptedWalletToken>;
  /** Returns whether the account accepts tokens of the wallet that are encrypted to an acquirer. */
  acceptsGatewayTokens(scope: Scope, wallet: DigitalWallet): Promise<boolean>;
  /** Requests Apple's merchant session, without which the Apple Pay sheet does not open. */
  startAppleSession(scope: Scope, request: AppleSessionRequest): Promise<AppleSessionResult>;
};

export type DecryptedWalletToken =
  | (Exclude<DecryptedToken, RejectedToken> & { readonly wallet: WalletType })
  | RejectedToken;

export type WalletOptions = Omit<LiveWalletOptions, "servers"> & {
  readonly testWallet: TestWallet;
  /** Replaces the servers and the roots of the wallets, for tests. */
  readonly servers?: Partial<WalletServers>;
};

export function createWallets({ testWallet, servers, ...options }: WalletOptions): Wallets {
  const { keys, clock, isSandbox } = options;
  const live = createLiveWallets({
    ...options,
    servers: {
      googleKeysUrl: isSandbox ? testKeysUrl : productionKeysUrl,
      appleRootCertificate,
      replacement: null,
      ...servers,
    },
  });
  const testRecipientOf = createTestRecipients(keys);
  const rootKeys = readRootKeys(testWallet.rootKeys);
  const rootCertificate = new X509Certificate(testWallet.rootCertificate);

  function offersTestWallet({ livemode }: Scope): boolean {
    return !livemode || isSandbox;
  }

  function decryptByFormat(token: string, recipient: Recipient): DecryptedToken {
    const now = clock.now();
    // Apple's tokens have the member `version`, and Google's have `protocolVersion`.
    if (Object.hasOwn(objectOf(parse(token)), "version")) {
      return decryptAppleToken(token, rootCertificate, recipient, now);
    }
    return decryptGoogleToken(token, rootKeys, recipient, now);
  }

  async function decryptFrom(
    scope: Scope,
    wallet: WalletType,
    token: string,
  ): Promise<DecryptedToken> {
    if (wallet !== "test_wallet") {
      return scope.livemode
        ? live.decrypt(scope.account, wallet, token)
        : rejectToken("not_accepted");
    }
    // Test mode trusts the test wallet. Live mode trusts it only on an instance that uses sandboxes.
    if (!offersTestWallet(scope)) return rejectToken("untrusted_signing_key");
    return decryptByFormat(token, await testRecipientOf(scope));
  }

  return {
    async offered(scope, country, accepted) {
      const offered: OfferedWallet[] = scope.livemode
        ? await live.offered(scope.account, country, accepted)
        : [];
      if (!offersTestWallet(scope) || accepted.networkTokens.length === 0) return offered;
      const { id, publicKey } = await testRecipientOf(scope);
      const { tokenPath, cards } = testWallet;
      return [
        ...offered,
        {
          type: "test_wallet",
          recipient_id: id,
          public_key: publicKey.toString("base64"),
          token_path: tokenPath,
          cards: [...cards],
        },
      ];
    },

    async decrypt(scope, wallet, token) {
      const decrypted = await decryptFrom(scope, wallet, token);
      return decrypted.kind === "rejected" ? decrypted : { ...decrypted, wallet };
    },

    acceptsGatewayTokens: async ({ account, livemode }, wallet) =>
      livemode && live.acceptsGatewayTokens(account, wallet),

    startAppleSession: async ({ account, livemode }, request) =>
      livemode ? live.startAppleSession(account, request) : { kind: "not_offered" },
  };
}
