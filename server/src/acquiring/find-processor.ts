import { ApiError } from "../core/api-error.ts";
import type { Currency, Money } from "../core/money.ts";
import type { Scope } from "../core/scope.ts";
import type { Account } from "../identity/accounts/account.ts";
import type { Accounts } from "../identity/accounts/account-cache.ts";
import { assertCanCharge } from "../identity/accounts/charging.ts";
import { rejectChargeAmount } from "../identity/accounts/fees-and-limits.ts";
import {
  type Acquirers,
  amountUnits,
  type CardVerifier,
  type ChosenAcquirer,
} from "./acquirers.ts";
import type { CardToAccept, RoutedPayment } from "./routing/routed-payment.ts";

export type ProcessorDeps = {
  readonly accounts: Accounts;
  readonly acquirers: Acquirers;
};

/**
 * Returns the account. Throws if the account cannot charge this amount, or if none of the account's acquirers accepts
 * the amount. `param` is the parameter that determines the amount.
 */
export async function assertAccepted(
  { accounts, acquirers }: ProcessorDeps,
  scope: Scope,
  price: Money,
  param = "amount",
): Promise<Account> {
  const account = await accounts.get(scope.account);
  assertCanCharge(account, scope.livemode, acquirers.isConnected);
  rejectChargeAmount(account, price, param);
  if (acquirers.accepts(scope, price)) return account;
  const { amountMinor, currency } = price;
  // An acquirer can have fewer decimals for the currency than the amount needs.
  const unit = amountUnits
    .slice(1)
    .find((one) =>
      acquirers.accepts(scope, { currency, amountMinor: amountMinor - (amountMinor % one) }),
    );
  const advice = unit === undefined ? "Charge" : `Send a multiple of ${unit}, charge`;
  throw new ApiError(
    "currency_unsupported",
    `None of the account's acquirers accepts the amount ${amountMinor} in '${currency}'. ${advice} in another currency, or ask the operator which amounts are accepted.`,
    { param: "currency" },
  );
}

/**
 * Returns the account. Throws if the account cannot charge cards, or if none of its acquirers for the currency verifies
 * cards.
 */
export async function assertVerifiable(
  { accounts, acquirers }: ProcessorDeps,
  scope: Scope,
  currency: Currency,
): Promise<Account> {
  const account = await accounts.get(scope.account);
  assertCanCharge(account, scope.livemode, acquirers.isConnected);
  if (acquirers.chooseVerifier(scope, currency)) return account;
  throw new ApiError(
    "card_verification_unsupported",
    `None of the account's acquirers for '${currency}' verifies cards without a payment. Save the card with a payment, or ask the operator for an acquirer that verifies cards.`,
    { param: "mode" },
  );
}

/** Returns the acquirer that verifies the card. Throws if none of the account's acquirers accepts the card. */
export function findVerifier(
  { acquirers }: Pick<ProcessorDeps, "acquirers">,
  scope: Scope,
  currency: Currency,
  card: CardToAccept,
): CardVerifier {
  const verifier = acquirers.chooseVerifier(scope, currency, card);
  if (verifier) return verifier;
  throw unsupportedCard();
}

/**
 * Returns the acquirer for a charge of the card. Throws if none of the account's acquirers accepts the card.
 * `assertAccepted` must be called first, so that an unsupported amount is not reported as an unsupported card.
 */
export function findProcessor(
  { acquirers }: Pick<ProcessorDeps, "acquirers">,
  scope: Scope,
  payment: RoutedPayment,
): ChosenAcquirer {
  const chosen = acquirers.choose(scope, payment);
  if (chosen) return chosen;
  if (payment.card.onlyAssignment) throw gatewayClosed("payment_method_id");
  throw unsupportedCard();
}

/** Returns the error for a wallet's token if the only acquirer that can decrypt it no longer accepts the payment. */
export function gatewayClosed(param: "assignment" | "payment_method_id"): ApiError {
  return new ApiError(
    "wallet_token_rejected",
    `\`${param}\` is rejected: the acquirer that can decrypt the token no longer accepts this payment. Read the session again, and request a new token from the wallet.`,
    { param },
  );
}

function unsupportedCard(): ApiError {
  return new ApiError(
    "card_unsupported",
    "None of the account's acquirers accepts this card. Its card network, its issuing country or the network token of its wallet is not supported. Ask for another card, or ask the operator which cards are accepted.",
    { param: "payment_method_id" },
  );
}
