import { ApiError } from "../../core/api-error.ts";
import type { TokenRejection } from "../../vault/wallets/wallet-token.ts";

const problems: Readonly<Record<TokenRejection, string>> = {
  malformed: "it is not a token in the format of the wallet",
  unsupported_version: "its protocol version is not supported",
  untrusted_signing_key: "its signing key is not from the wallet",
  expired_signing_key: "its signing key has expired",
  invalid_signature: "it was changed, or was created for another merchant",
  unknown_recipient_key: "it is encrypted with a key that the merchant does not have",
  invalid_contents: "its contents are not valid",
  expired: "it has expired",
  other_amount: "the customer has approved another amount",
  replayed: "it was used before",
  not_accepted: "the merchant does not accept the wallet",
  no_root_keys: "the keys of the wallet cannot be loaded, so it cannot be verified",
};

/** The next steps for the rejections that a new token would not change. */
const otherSteps: Readonly<Partial<Record<TokenRejection, string>>> = {
  unsupported_version: "Pay with a card.",
  unknown_recipient_key: "Pay with a card.",
  not_accepted: "Pay with a card.",
  no_root_keys: "Try again later, or pay with a card.",
};

/** Returns the error for a wallet's token that is rejected. The error contains no data of the token. */
export function rejectedWalletToken(reason: TokenRejection): ApiError {
  return new ApiError(
    "wallet_token_rejected",
    `\`token\` is rejected: ${problems[reason]}. ${otherSteps[reason] ?? "Request a new token from the wallet."}`,
    { param: "token" },
  );
}
