import assert from "node:assert/strict";
import type { Money } from "../core/money.ts";
import type { Scope } from "../core/scope.ts";
import type { Accounts } from "../identity/accounts/account-cache.ts";
import { assertCanCharge } from "../identity/accounts/charging.ts";
import { rejectChargeAmount } from "../identity/accounts/fees-and-limits.ts";
import type { Processor } from "./processor.ts";

export type ProcessorDeps = {
  readonly accounts: Accounts;
  /** Returns the acquirer for this scope, or null if none is configured, as in live mode. */
  readonly processorFor: (scope: Scope) => Processor | null;
};

/** Returns the acquirer for a charge in this scope. Throws if the account cannot charge this amount. */
export async function findProcessor(
  deps: ProcessorDeps,
  scope: Scope,
  price: Money,
): Promise<Processor> {
  await requireAccountOpen(deps, scope, price);
  const processor = deps.processorFor(scope);
  assert(processor, `${scope.account} can charge but has no acquirer`);
  return processor;
}

/** Throws if the account cannot charge in this mode, or cannot charge this amount. */
export async function requireAccountOpen(
  deps: ProcessorDeps,
  scope: Scope,
  price: Money,
  param = "amount",
): Promise<void> {
  const account = await deps.accounts.get(scope.account);
  assertCanCharge(account, scope.livemode, (one) => deps.processorFor(one) !== null);
  rejectChargeAmount(account, price, param);
}
