import assert from "node:assert/strict";
import type { ChargeId } from "../../core/ids.ts";
import { assertTransition } from "../../core/transitions.ts";
import { pricingIn } from "../../identity/accounts/fees-and-limits.ts";
import { recordPersonAction } from "../../platform/audit/record-person-action.ts";
import type { ApiRequest, ApiResponse } from "../../platform/http/route.ts";
import { lockCharge, readCharge } from "../charges/charge.sql.ts";
import { type ChallengedCharge, type Charge, chargeTransitions } from "../charges/charge.ts";
import type { ChargeDeps } from "../charges/charge-deps.ts";
import { chargeText } from "../charges/charge-text.ts";
import { chargeTransition } from "../charges/charge-transition.ts";
import { readChargedSession } from "../charges/charged-session.ts";
import { commitTransition } from "../commit/commit-transitions.sql.ts";

/** Thrown to roll back a cancellation because the charge left `requires_action` before it was locked. */
class NoLongerChallenged extends Error {}

/**
 * Cancels a charge in `requires_action`. The acquirer has not authorized the payment, so there is no authorization to
 * release. If it authorizes the payment of a redirected cardholder later, `applyToUnconfirmed` reverses the payment.
 * Returns null for a charge in any other state. After a cancellation, the caller must end the authentication.
 *
 * This cancellation and the end of the authentication both lock the charge, and the first to commit wins. If the
 * authentication ends first, this function finds another status. If this function is first, the end of the
 * authentication finds the charge canceled and does not call the acquirer.
 */
export async function cancelChallenged(
  deps: ChargeDeps,
  request: ApiRequest,
  id: ChargeId,
): Promise<{ readonly response: ApiResponse; readonly charge: ChallengedCharge } | null> {
  const { scope, idempotency } = request;
  const seen = await readCharge(deps.database.read, scope, id);
  if (seen?.status !== "requires_action") return null;
  // Reads the session before the transaction. Transactions that hold one connection and wait for a second can deadlock
  // the pool.
  const session = await readChargedSession(deps, seen);
  const pricing = pricingIn(await deps.accounts.get(scope.account), seen.price.currency);
  const cause = { id: request.id, idempotencyKey: idempotency?.key ?? null };
  try {
    const response = await deps.idempotencyKeys.runInTransaction(scope, idempotency, async (tx) => {
      const charge = await lockCharge(tx, scope, id);
      if (charge?.status !== "requires_action") throw new NoLongerChallenged();
      const now = deps.clock.now();
      const canceled = cancel(charge, now);
      assertTransition(chargeTransitions, id, charge.status, canceled.status);
      const inputs = { session, pricing, now, cause };
      const recorded = await commitTransition(tx, chargeTransition(deps, canceled, inputs));
      assert(recorded, `${id} changed under its lock`);
      const { amountMinor, currency } = charge.price;
      const after = { amount: amountMinor, currency };
      await recordPersonAction(
        tx,
        request,
        { action: "charge.canceled", object: id, after },
        deps.clock,
      );
      return { status: 200, body: chargeText(canceled, null) };
    });
    return { response, charge: seen };
  } catch (error) {
    if (error instanceof NoLongerChallenged) return null;
    throw error;
  }
}

function cancel(charge: ChallengedCharge, now: Date): Charge {
  return { ...charge, version: charge.version + 1, status: "canceled", finalizedAt: now };
}
