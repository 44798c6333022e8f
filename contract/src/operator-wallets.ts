import Type, { type Static } from "typebox";
import { nullable } from "./nullable.ts";
import { unixTime } from "./object-fields.ts";
import { digitalWallets } from "./payment-method.ts";
import { text } from "./text.ts";

/** The wallets of accounts in live mode, with their keys, in the private API of the admin console. */

const strict = { additionalProperties: false } as const;

/** `direct`: the account's keys decrypt the tokens. `gateway`: the tokens are encrypted to an acquirer. */
export const walletIntegrations = ["direct", "gateway"] as const;
export type WalletIntegration = (typeof walletIntegrations)[number];
export const walletStatuses = ["enabled", "disabled"] as const;
export type WalletStatus = (typeof walletStatuses)[number];
/** `payment_processing`: decrypts the wallet's tokens. `merchant_identity`: authenticates the account to Apple. */
export const walletKeyPurposes = ["payment_processing", "merchant_identity"] as const;
export type WalletKeyPurpose = (typeof walletKeyPurposes)[number];
export const walletKeyStatuses = ["pending", "current", "previous"] as const;
export type WalletKeyStatus = (typeof walletKeyStatuses)[number];

/** The reasons why the card form does not offer a configured wallet for any payment. */
export const walletNotOfferedReasons = [
  "disabled",
  "no_wallets_url",
  "no_merchant_id",
  "no_domain",
  "no_payment_processing_key",
  "payment_processing_certificate_expired",
  "no_merchant_identity_key",
  "merchant_identity_certificate_expired",
] as const;
export type WalletNotOfferedReason = (typeof walletNotOfferedReasons)[number];

const reason = text(2000, "Reason for the change. It is stored permanently.");
const version = Type.Integer({
  minimum: 0,
  description: "Version that the operator read. 0 if there was no configuration.",
});

/** A domain name in lower case, without a scheme, a port or a path. */
const domain = Type.String({
  pattern: "^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,63}$",
  maxLength: 253,
  description: "Domain that is registered with Apple, such as `shop.example.com`.",
});

export const SaveWallet = Type.Object(
  {
    version,
    integration: Type.Enum([...walletIntegrations], {
      description:
        "`direct`: the account's keys decrypt the tokens. `gateway`: the acquirer decrypts them.",
    }),
    status: Type.Enum([...walletStatuses], {
      description: "`enabled` if the card form offers the wallet.",
    }),
    merchant_id: nullable(
      Type.String({
        pattern: "^[A-Za-z0-9._-]{1,128}$",
        description: "Google's merchant ID, or Apple's merchant identifier.",
      }),
    ),
    display_name: text(64, "Name of the merchant in the wallet's sheet."),
    domains: Type.Array(domain, {
      maxItems: 50,
      uniqueItems: true,
      description: "Domains that are registered with Apple. Empty for Google Pay.",
    }),
    domain_association: Type.Optional(
      nullable(
        Type.String({
          minLength: 1,
          maxLength: 16_384,
          pattern: "^[A-Za-z0-9+/]+={0,2}$",
          // Requests contain the file in base64, because it consists of hexadecimal digits. The check of requests for
          // card data could mistake these digits for card numbers.
          description:
            "File by which Apple verifies the service's domain, in base64. Null removes it. If absent, it does not change.",
        }),
      ),
    ),
    reason,
  },
  strict,
);
export type SaveWallet = Static<typeof SaveWallet>;

export const CreateWalletKey = Type.Object(
  {
    purpose: Type.Enum([...walletKeyPurposes], {
      description:
        "`payment_processing`: decrypts tokens. `merchant_identity`: authenticates the account to Apple.",
    }),
    reason,
  },
  strict,
);
export type CreateWalletKey = Static<typeof CreateWalletKey>;

export const StoreWalletCertificate = Type.Object(
  {
    version,
    certificate: Type.String({
      minLength: 1,
      maxLength: 16_384,
      description: "Certificate that Apple issued for the key, in PEM or in base64 of DER.",
    }),
    reason,
  },
  strict,
);
export type StoreWalletCertificate = Static<typeof StoreWalletCertificate>;

export const ChangeWalletKey = Type.Object({ version, reason }, strict);
export type ChangeWalletKey = Static<typeof ChangeWalletKey>;

export const WalletKey = Type.Object({
  /** Begins with `wk_`. */
  id: Type.String(),
  purpose: Type.Enum([...walletKeyPurposes]),
  status: Type.Enum([...walletKeyStatuses]),
  /** An uncompressed point of P-256 in base64, which is registered at Google. Null for other keys. */
  public_key: nullable(Type.String()),
  /** The SHA-256 of the public key. Audit entries name the key by this hash. */
  fingerprint: Type.String(),
  /** Null until the certificate is uploaded. Always null for Google Pay, which uses no certificates. */
  certificate: nullable(
    Type.Object({
      fingerprint: Type.String(),
      expires_at: unixTime("Time at which the certificate expires"),
    }),
  ),
  created: unixTime("Time of the creation"),
  promoted_at: nullable(unixTime("Time at which the key was activated")),
  /** Null unless `status` is `previous`. */
  expires_at: nullable(unixTime("Time at which the previous key is deleted")),
  version: Type.Integer(),
});
export type WalletKey = Static<typeof WalletKey>;

export const WalletConfiguration = Type.Object({
  integration: Type.Enum([...walletIntegrations]),
  status: Type.Enum([...walletStatuses]),
  merchant_id: nullable(Type.String()),
  display_name: Type.String(),
  domains: Type.Array(Type.String()),
  /** True if Apple's file for the service's domain is stored. */
  has_domain_association: Type.Boolean(),
  /** The purposes of the keys that the wallet needs. */
  key_purposes: Type.Array(Type.Enum([...walletKeyPurposes])),
  /** Empty if the card form offers the wallet for payments whose acquirers accept its tokens. */
  not_offered_because: Type.Array(Type.Enum([...walletNotOfferedReasons])),
  version: Type.Integer(),
});
export type WalletConfiguration = Static<typeof WalletConfiguration>;

/** A wallet of an account, with its keys. */
export const OperatorWallet = Type.Object({
  object: Type.Literal("wallet"),
  account: Type.String(),
  wallet: Type.Enum([...digitalWallets]),
  /** Null if an operator has not configured the wallet. */
  configuration: nullable(WalletConfiguration),
  keys: Type.Array(WalletKey),
});
export type OperatorWallet = Static<typeof OperatorWallet>;

export const OperatorWallets = Type.Object({
  object: Type.Literal("list"),
  /** The environment of the wallets, which is that of the acquirers. */
  environment: Type.Enum(["live", "sandbox"]),
  /** The domain of the hosted payment page. */
  service_domain: Type.String(),
  data: Type.Array(OperatorWallet),
});
export type OperatorWallets = Static<typeof OperatorWallets>;

/** A certificate request in PEM, which the operator uploads to Apple. */
export const WalletCertificateRequest = Type.Object({ certificate_request: Type.String() });
export type WalletCertificateRequest = Static<typeof WalletCertificateRequest>;
