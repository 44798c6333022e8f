import assert from "node:assert/strict";
import type { OfferedApplePay } from "@florin/contract/frame.ts";
import type { CardNetwork } from "@florin/contract/payment-method.ts";
import {
  type AcceptedByAcquirers,
  appleNetworks,
  type GooglePayOffer,
  googleNetworks,
  type OfferedLiveWallet,
  type WalletGateway,
} from "../offered-wallet.ts";
import type { WalletConfiguration } from "./wallet-configuration.ts";
import { currentKey, type WalletKey } from "./wallet-key.ts";
import { pointOf } from "./wallet-key-secrets.ts";
import { type WalletService, whyNotOffered } from "./why-not-offered.ts";

/** A payment for which wallets are offered, and the settings of the service. */
type OfferContext = {
  /** The merchant's country. */
  readonly country: string;
  readonly accepted: AcceptedByAcquirers;
  readonly service: WalletService;
  readonly now: Date;
  /** Returns whether Google's root keys are known. */
  readonly hasGoogleKeys: () => Promise<boolean>;
};

/** Returns the offer of a configured wallet for a payment, or null if the card form does not offer it. */
export async function offerOf(
  configuration: WalletConfiguration,
  stored: readonly WalletKey[],
  context: OfferContext,
): Promise<OfferedLiveWallet | null> {
  const { country, accepted, service, now, hasGoogleKeys } = context;
  if (whyNotOffered(configuration, stored, service, now).length > 0) return null;
  const { wallet, integration } = configuration;
  const gateway =
    integration === "gateway" ? accepted.gateways.find((one) => one.wallet === wallet) : null;
  if (gateway === undefined) return null;
  if (wallet === "apple_pay") return offeredApplePay(configuration, country, accepted, gateway);
  if (gateway) return offeredGateway(configuration, context, gateway);
  // Without Google's keys, no token could be verified after the customer has chosen a card.
  if (!(await hasGoogleKeys())) return null;
  const key = currentKey(stored, wallet, "payment_processing");
  assert(key, "a direct integration without a key is not offered");
  const { cards, networkTokens } = accepted;
  const isTokenAccepted = networkTokens.length > 0;
  const networks = isTokenAccepted ? networkTokens : cards;
  return googlePay(configuration, context, networks, {
    allowed_auth_methods: isTokenAccepted ? ["PAN_ONLY", "CRYPTOGRAM_3DS"] : ["PAN_ONLY"],
    tokenization: {
      type: "DIRECT",
      protocol_version: "ECv2",
      public_key: pointOf(key.publicKey).toString("base64"),
    },
    assignment: null,
  });
}

function googlePay(
  { merchantId, displayName }: WalletConfiguration,
  { country, service }: OfferContext,
  networks: readonly CardNetwork[] | "all",
  rest: Pick<GooglePayOffer, "allowed_auth_methods" | "tokenization" | "assignment">,
): GooglePayOffer | null {
  const allowed = googleNetworks(networks);
  if (allowed.length === 0) return null;
  return {
    type: "google_pay",
    environment: service.isSandbox ? "TEST" : "PRODUCTION",
    merchant_id: merchantId,
    merchant_name: displayName,
    allowed_card_networks: allowed,
    country_code: country,
    ...rest,
  };
}

function offeredGateway(
  configuration: WalletConfiguration,
  context: OfferContext,
  { assignment, parameters }: WalletGateway,
): GooglePayOffer | null {
  return googlePay(configuration, context, "all", {
    // `PAN_ONLY` is not offered. Such a payment would need 3-D Secure, and 3-D Secure requires the card number, which
    // only the acquirer can decrypt.
    allowed_auth_methods: ["CRYPTOGRAM_3DS"],
    tokenization: { type: "PAYMENT_GATEWAY", parameters: { ...parameters } },
    assignment,
  });
}

function offeredApplePay(
  { merchantId, displayName, domains }: WalletConfiguration,
  country: string,
  { networkTokens }: AcceptedByAcquirers,
  gateway: WalletGateway | null,
): OfferedApplePay | null {
  const networks = appleNetworks(gateway ? "all" : networkTokens);
  if (networks.length === 0) return null;
  return {
    type: "apple_pay",
    merchant_identifier: `${merchantId}`,
    display_name: displayName,
    domains: [...domains],
    supported_networks: networks,
    merchant_capabilities: ["supports3DS"],
    country_code: country,
    assignment: gateway?.assignment ?? null,
  };
}
