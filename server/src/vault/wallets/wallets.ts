import { X509Certificate } from "node:crypto";
import type { LiveWallet, WalletType } from "@florin/contract/payment-method.ts";
import type { Clock } from "../../core/clock.ts";
import type { Scope } from "../../core/scope.ts";
import type { Database } from "../../platform/database/database.ts";
import type { KeyProvider } from "../key-provider.ts";
import { decryptToken as decryptAppleToken } from "./apple-pay/decrypt-token.ts";
import { decryptToken as decryptGoogleToken } from "./google-pay/decrypt-token.ts";
import { readRootKeys } from "./google-pay/root-keys.ts";
import type { AcceptedByAcquirers, OfferedLiveWallet } from "./offered-wallet.ts";
import { objectOf, parse } from "./read-json-object.ts";
import type { Recipient } from "./recipient.ts";
import { createTestRecipients } from "./test-recipient.ts";
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

/** Test mode's wallet, as the card form offers it. */
export type OfferedTestWallet = Pick<TestWallet, "tokenPath" | "cards"> & {
  readonly type: "test_wallet";
  /** The recipient for whom the wallet signs tokens. */
  readonly recipientId: string;
  /** The point to which the wallet encrypts tokens, in base64. */
  readonly publicKey: string;
};

/** A wallet that the card form offers. */
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
  acceptsGatewayTokens(scope: Scope, wallet: LiveWallet): Promise<boolean>;
};

export type DecryptedWalletToken =
  | (Exclude<DecryptedToken, RejectedToken> & { readonly wallet: WalletType })
  | RejectedToken;

export type WalletOptions = {
  readonly database: Database;
  readonly keys: KeyProvider;
  readonly clock: Clock;
  readonly testWallet: TestWallet;
  /** True if live mode uses the sandboxes of acquirers. It then offers the test wallet too. */
  readonly isSandbox: boolean;
};

export function createWallets({ keys, clock, testWallet, isSandbox }: WalletOptions): Wallets {
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

  return {
    async offered(scope, _country, { networkTokens }) {
      if (!offersTestWallet(scope) || networkTokens.length === 0) return [];
      const { id, publicKey } = await testRecipientOf(scope);
      const { tokenPath, cards } = testWallet;
      return [
        {
          type: "test_wallet",
          recipientId: id,
          publicKey: publicKey.toString("base64"),
          tokenPath,
          cards,
        },
      ];
    },

    async decrypt(scope, wallet, token) {
      // The test wallet is not trusted where the form does not offer it.
      if (wallet !== "test_wallet" || !offersTestWallet(scope))
        return rejectToken("untrusted_signing_key");
      const recipient = await testRecipientOf(scope);
      const decrypted = decryptByFormat(token, recipient);
      return decrypted.kind === "rejected" ? decrypted : { ...decrypted, wallet };
    },

    acceptsGatewayTokens: async () => false,
  };
}
