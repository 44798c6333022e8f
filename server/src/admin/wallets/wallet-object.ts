import type {
  OperatorWallet,
  WalletKey as WalletKeyObject,
} from "@florin/contract/operator-wallets.ts";
import type { DigitalWallet } from "@florin/contract/payment-method.ts";
import { unixSeconds } from "../../core/clock.ts";
import { type AccountId, createdAt } from "../../core/ids.ts";
import type { WalletConfiguration } from "../../vault/wallets/configurations/wallet-configuration.ts";
import { fingerprintOf, type WalletKey } from "../../vault/wallets/configurations/wallet-key.ts";
import { pointOf } from "../../vault/wallets/configurations/wallet-key-secrets.ts";
import {
  neededPurposes,
  type WalletService,
  whyNotOffered,
} from "../../vault/wallets/configurations/why-not-offered.ts";

/** A wallet of an account with its stored configuration, and the keys of all wallets of the account. */
type WalletOfAccount = {
  readonly account: AccountId;
  readonly wallet: DigitalWallet;
  readonly configuration: WalletConfiguration | null;
  readonly keys: readonly WalletKey[];
};

/** Returns a wallet of an account for the admin console. It contains no private key. */
export function walletObject(
  { account, wallet, configuration, keys }: WalletOfAccount,
  service: WalletService,
  now: Date,
): OperatorWallet {
  return {
    object: "wallet",
    account,
    wallet,
    configuration: configuration && {
      integration: configuration.integration,
      status: configuration.status,
      merchant_id: configuration.merchantId,
      display_name: configuration.displayName,
      domains: [...configuration.domains],
      has_domain_association: configuration.domainAssociation !== null,
      key_purposes: neededPurposes(configuration),
      not_offered_because: whyNotOffered(configuration, keys, service, now),
      version: configuration.version,
    },
    keys: keys.filter((key) => key.wallet === wallet).map(keyObject),
  };
}

function keyObject(key: WalletKey): WalletKeyObject {
  return {
    id: key.id,
    purpose: key.purpose,
    status: key.status,
    public_key:
      key.purpose === "payment_processing" ? pointOf(key.publicKey).toString("base64") : null,
    fingerprint: fingerprintOf(key.publicKey),
    certificate: key.certificate && {
      fingerprint: fingerprintOf(key.certificate.der),
      expires_at: unixSeconds(key.certificate.expiresAt),
    },
    created: unixSeconds(createdAt(key.id)),
    promoted_at: key.status === "pending" ? null : unixSeconds(key.promotedAt),
    expires_at: key.status === "previous" ? unixSeconds(key.expiresAt) : null,
    version: key.version,
  };
}
