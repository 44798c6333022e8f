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

/** The parts of the service on which the steps of the setup depend. */
type WalletService = Pick<OperatorWallets, "environment" | "service_domain">;

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

/** The time before a certificate's expiry at which the page starts to warn. Apple issues certificates for 25 months. */
const warningDays = 30;
const daySeconds = 24 * 60 * 60;

/** Returns whether a certificate has expired or expires soon. `nowSeconds` is in unix seconds. */
export function certificateState(
  { certificate }: Pick<WalletKey, "certificate">,
  nowSeconds: number,
): "none" | "valid" | "expires_soon" | "expired" {
  if (certificate === null) return "none";
  const left = certificate.expires_at - nowSeconds;
  if (left <= 0) return "expired";
  return left < warningDays * daySeconds ? "expires_soon" : "valid";
}
