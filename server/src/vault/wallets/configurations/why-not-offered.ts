import {
  type WalletKeyPurpose,
  type WalletNotOfferedReason,
  walletKeyPurposes,
} from "@florin/contract/operator-wallets.ts";
import type { WalletConfiguration } from "./wallet-configuration.ts";
import { currentKey, usableKey, type WalletKey } from "./wallet-key.ts";

/** The settings of the service that determine whether it can offer wallets. */
export type WalletService = {
  /** True if live mode uses the sandboxes of acquirers, and the wallets' test environments. */
  readonly isSandbox: boolean;
  /** True if the service has the second origin, on which Google's script runs. */
  readonly hasWalletsUrl: boolean;
};

/** Returns the purposes of the keys that a wallet needs. For a gateway integration, the acquirer decrypts the tokens. */
export function neededPurposes({
  wallet,
  integration,
}: Pick<WalletConfiguration, "wallet" | "integration">): WalletKeyPurpose[] {
  return walletKeyPurposes.filter((purpose) =>
    purpose === "payment_processing" ? integration === "direct" : wallet === "apple_pay",
  );
}

/**
 * Returns the reasons why the card form does not offer the wallet for any payment. If there are none, the form offers
 * the wallet for payments whose acquirers accept its tokens. Google Pay with the direct integration is offered only
 * while Google's root keys are known.
 */
export function whyNotOffered(
  configuration: WalletConfiguration,
  keys: readonly WalletKey[],
  { isSandbox, hasWalletsUrl }: WalletService,
  now: Date,
): WalletNotOfferedReason[] {
  const { wallet, status, merchantId, domains } = configuration;
  const reasons: WalletNotOfferedReason[] = [];
  if (status === "disabled") reasons.push("disabled");
  if (wallet === "google_pay" && !hasWalletsUrl) reasons.push("no_wallets_url");
  // Google's environment `TEST` needs no merchant ID. Apple Pay always has one.
  if (merchantId === null && !isSandbox) reasons.push("no_merchant_id");
  if (wallet === "apple_pay" && domains.length === 0) reasons.push("no_domain");
  for (const purpose of neededPurposes(configuration)) {
    if (!currentKey(keys, wallet, purpose)) reasons.push(`no_${purpose}_key`);
    else if (!usableKey(keys, wallet, purpose, now)) {
      reasons.push(`${purpose}_certificate_expired`);
    }
  }
  return reasons;
}
