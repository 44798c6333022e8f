import { ApiError, noSuch } from "../../core/api-error.ts";
import type { PaymentMethodId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { Tx } from "../../platform/database/sql.ts";
import type { Vault } from "../../vault/vault.ts";
import { detachPaymentMethod, isBeingCharged, lockPaymentMethod } from "./payment-method.sql.ts";
import type { PaymentMethod } from "./payment-method.ts";

/**
 * Detaches a card from its customer permanently, so that no new charge can use it. A charge in progress can still use
 * the card until the charge has ended.
 */
export async function detach(
  tx: Tx,
  vault: Vault,
  scope: Scope,
  id: PaymentMethodId,
  now: Date,
): Promise<PaymentMethod> {
  const method = await lockPaymentMethod(tx, scope, id);
  if (!method) throw noSuch("payment method", id);
  if (method.detachedAt) {
    throw unexpectedState(
      `The payment method '${id}' is already detached. No further action is needed.`,
    );
  }
  await detachPaymentMethod(tx, scope, id, now);
  await eraseWhenUnused(tx, vault, scope, id, now);
  return { ...method, customerId: null, detachedAt: now };
}

/**
 * Erases the card of a detached payment method. If a charge of the card is in progress, schedules the erasure, so that
 * a cardholder in a 3-D Secure challenge can still complete the payment.
 */
export async function eraseWhenUnused(
  tx: Tx,
  vault: Vault,
  scope: Scope,
  id: PaymentMethodId,
  now: Date,
): Promise<void> {
  if (await isBeingCharged(tx, scope, id)) await vault.scheduleErasure(tx, scope, id, now);
  else await vault.erase(tx, scope, id);
}

/** Returns the error for a payment method whose state does not allow the request. */
export function unexpectedState(message: string, param = "id"): ApiError {
  return new ApiError("payment_method_unexpected_state", message, { param });
}
