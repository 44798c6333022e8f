import assert from "node:assert/strict";
import type { ChargeId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { assertTransition } from "../../core/transitions.ts";
import { pricingIn } from "../../identity/accounts/fees-and-limits.ts";
import type { Tx } from "../../platform/database/sql.ts";
import type { EventCause } from "../../webhooks/events/event.ts";
import { failUnconfirmed } from "../charges/apply-response.ts";
import { lockCharge, readCharge } from "../charges/charge.sql.ts";
import { type Charge, chargeTransitions, type FailedCharge } from "../charges/charge.ts";
import type { ChargeDeps } from "../charges/charge-deps.ts";
import { chargeTransition } from "../charges/charge-transition.ts";
import { readChargedSession } from "../charges/charged-session.ts";
import { commitTransition } from "../commit/commit-transitions.sql.ts";

/**
 * Fails a charge in manual review on the request of an operator, who has not found it at the acquirer. `alsoWrite`
 * writes in the same transaction. Returns the unchanged charge if it is not in manual review, or null if it does not
 * exist.
 */
export async function failCharge(
  deps: ChargeDeps,
  { scope, id }: { readonly scope: Scope; readonly id: ChargeId },
  cause: EventCause,
  alsoWrite: (tx: Tx, failed: FailedCharge) => Promise<void>,
): Promise<Charge | null> {
  const seen = await readCharge(deps.database.read, scope, id);
  if (!seen || !failUnconfirmed(seen, deps.clock.now())) return seen;
  // Reads the session before the transaction. Transactions that hold one connection and wait for a second can deadlock
  // the pool.
  const session = await readChargedSession(deps, seen);
  const pricing = pricingIn(await deps.accounts.get(scope.account), seen.price.currency);
  return deps.database.transaction(async (tx) => {
    const charge = await lockCharge(tx, scope, id);
    const now = deps.clock.now();
    const failed = charge && failUnconfirmed(charge, now);
    // Another writer recorded an outcome after the charge was read.
    if (!failed) return charge;
    assertTransition(chargeTransitions, id, charge.status, failed.status);
    const inputs = { session, pricing, now, cause };
    const recorded = await commitTransition(tx, chargeTransition(deps, failed, inputs));
    assert(recorded, `${id} changed under its lock`);
    await alsoWrite(tx, failed);
    return failed;
  });
}
