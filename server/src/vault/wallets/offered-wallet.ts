import type {
  ApplePayNetwork,
  GooglePayNetwork,
  OfferedApplePay,
  OfferedGooglePay,
} from "@florin/contract/frame.ts";
import type { CardNetwork, DigitalWallet } from "@florin/contract/payment-method.ts";
import type { AssignmentId } from "../../core/ids.ts";

/**
 * The credentials that the account's acquirers accept for a payment. They determine the wallets that the card form
 * offers.
 */
export type AcceptedByAcquirers = {
  /** The networks whose cards are accepted. */
  readonly cards: readonly CardNetwork[];
  /** The networks whose network tokens are accepted. */
  readonly networkTokens: readonly CardNetwork[];
  /** The acquirers that decrypt a wallet's tokens themselves, in the order in which they are preferred. */
  readonly gateways: readonly WalletGateway[];
};

/**
 * An acquirer that decrypts a wallet's tokens. The payment cannot be sent to another acquirer. Florin cannot read the
 * network of such a token, so an assignment that is limited to some networks accepts no tokens.
 */
export type WalletGateway = {
  readonly wallet: DigitalWallet;
  readonly assignment: AssignmentId;
  /** The parameters by which Google finds the acquirer's key. Empty for Apple Pay. */
  readonly parameters: Readonly<Record<string, string>>;
};

/**
 * Google Pay as the API returns it, but without `page_url`, the URL of the page with the Google Pay button. This URL
 * depends on the session.
 */
export type GooglePayOffer = Omit<OfferedGooglePay, "page_url">;

/** A wallet of live mode that the card form offers, in the form of the API. */
export type OfferedLiveWallet = GooglePayOffer | OfferedApplePay;

const googleNames: Readonly<Partial<Record<CardNetwork, GooglePayNetwork>>> = {
  amex: "AMEX",
  discover: "DISCOVER",
  jcb: "JCB",
  mastercard: "MASTERCARD",
  visa: "VISA",
};

const appleNames: Readonly<Partial<Record<CardNetwork, ApplePayNetwork>>> = {
  amex: "amex",
  cartes_bancaires: "cartesBancaires",
  discover: "discover",
  jcb: "jcb",
  mastercard: "masterCard",
  unionpay: "chinaUnionPay",
  visa: "visa",
};

/** Returns the names that Google Pay uses for the networks. Omits networks that it does not support. */
export function googleNetworks(networks: readonly CardNetwork[] | "all"): GooglePayNetwork[] {
  if (networks === "all") return Object.values(googleNames);
  return networks.flatMap((network) => googleNames[network] ?? []);
}

/** Returns the names that Apple Pay uses for the networks. Omits networks that it does not support. */
export function appleNetworks(networks: readonly CardNetwork[] | "all"): ApplePayNetwork[] {
  if (networks === "all") return Object.values(appleNames);
  return networks.flatMap((network) => appleNames[network] ?? []);
}
