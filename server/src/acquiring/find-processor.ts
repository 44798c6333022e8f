import { ApiError } from "../core/api-error.ts";
import type { Money } from "../core/money.ts";
import type { Scope } from "../core/scope.ts";
import type { Account } from "../identity/accounts/account.ts";
import type { Accounts } from "../identity/accounts/account-cache.ts";
import { assertCanCharge } from "../identity/accounts/charging.ts";
import { rejectChargeAmount } from "../identity/accounts/fees-and-limits.ts";
import type { Acquirers, ChosenAcquirer } from "./acquirers.ts";
import type { RoutedPayment } from "./routing/routed-payment.ts";

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
  throw new ApiError(
    "currency_unsupported",
    `None of the account's acquirers accepts the amount ${price.amountMinor} in '${price.currency}'. Charge in another currency, or ask the operator which amounts are accepted.`,
    { param: "currency" },
  );
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
  throw new ApiError(
    "card_unsupported",
    "None of the account's acquirers accepts cards of this card network or issuing country. Ask for another card, or ask the operator which cards are accepted.",
    { param: "payment_method_id" },
  );
}
