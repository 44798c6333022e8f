import { ApiError } from "../core/api-error.ts";
import type { Money } from "../core/money.ts";
import type { Scope } from "../core/scope.ts";
import type { Accounts } from "../identity/accounts/account-cache.ts";
import { assertCanCharge } from "../identity/accounts/charging.ts";
import { rejectChargeAmount } from "../identity/accounts/fees-and-limits.ts";
import type { Acquirers } from "./acquirers.ts";
import type { Processor } from "./processor.ts";

export type ProcessorDeps = {
  readonly accounts: Accounts;
  readonly acquirers: Acquirers;
};

/**
 * Returns the acquirer for a charge in this scope. Throws if the account cannot charge this amount, or if none of its
 * acquirers accepts it. `param` is the parameter that determines the amount.
 */
export async function findProcessor(
  { accounts, acquirers }: ProcessorDeps,
  scope: Scope,
  price: Money,
  param = "amount",
): Promise<Processor> {
  const account = await accounts.get(scope.account);
  assertCanCharge(account, scope.livemode, acquirers.isConnected);
  rejectChargeAmount(account, price, param);
  const processor = acquirers.choose(scope, price);
  if (processor) return processor;
  throw new ApiError(
    "currency_unsupported",
    `None of the account's acquirers accepts the amount ${price.amountMinor} in '${price.currency}'. Charge in another currency, or ask the operator which amounts are possible.`,
    { param: "currency" },
  );
}
