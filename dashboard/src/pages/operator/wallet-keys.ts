import type {
  OperatorWallet,
  OperatorWallets,
  WalletKey,
} from "@florin/contract/operator-wallets.ts";

/** The properties of the components that show a wallet. */
export type WalletProps = {
  readonly wallet: OperatorWallet;
  readonly service: WalletService;
};

/** The parts of the service on which its wallets depend. */
export type WalletService = Pick<
  OperatorWallets,
  "environment" | "service_domain" | "has_wallets_url"
>;

/** Returns the path of a key in the admin API. */
export function keyPath(
  { account, wallet }: OperatorWallet,
  { id }: Pick<WalletKey, "id">,
): string {
  return `/accounts/${account}/wallets/${wallet}/keys/${id}`;
}

/** The name of a key and its certificate, as Apple's and Google's consoles use it. */
export const purposeTitles: Readonly<Record<WalletKey["purpose"], string>> = {
  payment_processing: "Payment processing",
  merchant_identity: "Merchant identity",
};

/** The purposes of the keys that the wallet needs. A gateway decrypts the tokens itself. */
export function neededPurposes({
  wallet,
  configuration,
}: OperatorWallet): readonly WalletKey["purpose"][] {
  const decrypts = configuration?.integration === "direct";
  return [
    ...(decrypts ? (["payment_processing"] as const) : []),
    ...(wallet === "apple_pay" ? (["merchant_identity"] as const) : []),
  ];
}

/** The keys of one purpose. */
export type KeysOfPurpose = {
  readonly pending: WalletKey | null;
  readonly current: WalletKey | null;
};

export function keysOf(
  { keys }: Pick<OperatorWallet, "keys">,
  purpose: WalletKey["purpose"],
): KeysOfPurpose {
  const find = (status: WalletKey["status"]) =>
    keys.find((key) => key.purpose === purpose && key.status === status) ?? null;
  return { pending: find("pending"), current: find("current") };
}

/** The time before the expiry of a certificate from which the page warns. Apple issues them for 25 months. */
const warningDays = 30;
const daySeconds = 24 * 60 * 60;

/** Returns whether a certificate has expired or expires soon. `nowSeconds` is in unix seconds. */
export function certificateState(
  { certificate }: WalletKey,
  nowSeconds: number,
): "none" | "valid" | "expires_soon" | "expired" {
  if (certificate === null) return "none";
  const left = certificate.expires_at - nowSeconds;
  if (left <= 0) return "expired";
  return left < warningDays * daySeconds ? "expires_soon" : "valid";
}

/** Returns the reasons why the card form does not offer the wallet, as sentences. Empty if it does. */
export function missingParts(
  wallet: OperatorWallet,
  { environment, has_wallets_url }: Pick<WalletService, "environment" | "has_wallets_url">,
  nowSeconds: number,
): string[] {
  const { configuration } = wallet;
  if (!configuration) return ["The wallet is not configured."];
  const missing: string[] = [];
  if (configuration.status === "disabled") missing.push("The wallet is disabled.");
  if (wallet.wallet === "google_pay" && !has_wallets_url) {
    missing.push("The service has no FLORIN_WALLETS_URL.");
  }
  if (configuration.merchant_id === null && environment === "live") {
    missing.push("Google's merchant ID is missing.");
  }
  if (wallet.wallet === "apple_pay" && configuration.domains.length === 0) {
    missing.push("No domain is registered.");
  }
  for (const purpose of neededPurposes(wallet)) {
    const { current } = keysOf(wallet, purpose);
    const title = purposeTitles[purpose].toLowerCase();
    if (!current) missing.push(`No ${title} key is active.`);
    else if (certificateState(current, nowSeconds) === "expired") {
      missing.push(`The ${title} certificate has expired.`);
    }
  }
  return missing;
}
