import assert from "node:assert/strict";
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

/** Returns the acquirer for a charge in this scope. Throws if the account cannot charge this amount. */
export async function findProcessor(
  deps: ProcessorDeps,
  scope: Scope,
  price: Money,
): Promise<Processor> {
  await requireAccountOpen(deps, scope, price);
  const processor = deps.acquirers.choose(scope, price);
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
  assertCanCharge(account, scope.livemode, deps.acquirers.isConnected);
  rejectChargeAmount(account, price, param);
}
