import type { WalletIntegration, WalletStatus } from "@florin/contract/operator-wallets.ts";
import type { DigitalWallet } from "@florin/contract/payment-method.ts";
import type { AccountId } from "../../../core/ids.ts";

/** An account's settings for a wallet of live mode. */
export type WalletConfiguration = WalletTerms & {
  readonly account: AccountId;
  readonly wallet: DigitalWallet;
  readonly updatedAt: Date;
  readonly version: number;
};

/** The settings that an operator changes. */
export type WalletTerms = {
  readonly integration: WalletIntegration;
  readonly status: WalletStatus;
  /**
   * Google's merchant ID, or Apple's merchant identifier. Null for Google Pay until Google has approved the
   * integration.
   */
  readonly merchantId: string | null;
  /** The merchant's name on the wallet's payment sheet. */
  readonly displayName: string;
  /** The domains that are registered with Apple. Empty for Google Pay. */
  readonly domains: readonly string[];
  /** Null for Google Pay. For Apple Pay, null if no file was uploaded. */
  readonly domainAssociation: DomainAssociation | null;
};

/** The file by which Apple verifies the service's own domain. */
export type DomainAssociation = {
  /**
   * The file in base64. The file consists of hexadecimal digits. Without base64, the daily search for card data would
   * mistake some of them for card numbers.
   */
  readonly file: string;
  /** The time at which an operator stored the file. Other changes of the configuration keep this time. */
  readonly storedAt: Date;
};
