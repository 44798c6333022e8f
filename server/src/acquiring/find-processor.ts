import assert from "node:assert/strict";
import type { Money } from "../core/money.ts";
import type { Owner } from "../core/owner.ts";
import type { Accounts } from "../identity/accounts/account-cache.ts";
import { assertCanCharge } from "../identity/accounts/charging.ts";
import { rejectChargeAmount } from "../identity/accounts/fees-and-limits.ts";
import type { Processor } from "./processor.ts";

export type ProcessorDeps = {
  readonly accounts: Accounts;
  /** Returns the acquirer for this scope, or null if none is configured, as in live mode. */
  readonly processorFor: (owner: Owner) => Processor | null;
};

/** Returns the acquirer for a charge of this account and mode, or rejects the charge. */
export async function findProcessor(
  deps: ProcessorDeps,
  owner: Owner,
  price: Money,
): Promise<Processor> {
  await requireAccountOpen(deps, owner, price);
  const processor = deps.processorFor(owner);
  assert(processor, `${owner.account} can charge but has no acquirer`);
  return processor;
}

/** Rejects an account that cannot charge in this mode, or not this amount. */
export async function requireAccountOpen(
  deps: ProcessorDeps,
  owner: Owner,
  price: Money,
  param = "amount",
): Promise<void> {
  const account = await deps.accounts.get(owner.account);
  assertCanCharge(account, owner.livemode, (one) => deps.processorFor(one) !== null);
  rejectChargeAmount(account, price, param);
}
