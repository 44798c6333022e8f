import { ApiError, noSuch } from "../../core/api-error.ts";
import type { PaymentMethodId } from "../../core/ids.ts";
import type { Owner } from "../../core/owner.ts";
import type { Tx } from "../../platform/database/sql.ts";
import type { Vault } from "../../vault/vault.ts";
import { detachPaymentMethod, isBeingCharged, lockPaymentMethod } from "./payment-method.sql.ts";
import type { PaymentMethod } from "./payment-method.ts";

/** Detaches a card from its customer permanently. The card is erased and cannot be charged any more. */
export async function detach(
  tx: Tx,
  vault: Vault,
  owner: Owner,
  id: PaymentMethodId,
  now: Date,
): Promise<PaymentMethod> {
  const method = await lockPaymentMethod(tx, owner, id);
  if (!method) throw noSuch("payment method", id);
  if (method.detachedAt) {
    throw unexpectedState(`The payment method '${id}' was detached before, and can be once.`);
  }
  if (await isBeingCharged(tx, owner, id)) {
    throw unexpectedState(
      `A charge of the payment method '${id}' is under way. Detach it when the charge has ended.`,
    );
  }
  await detachPaymentMethod(tx, owner, id, now);
  await vault.forget(tx, owner, id);
  return { ...method, customerId: null, detachedAt: now };
}

/** Returns the error for a payment method whose state does not allow the request. */
export function unexpectedState(message: string, param = "id"): ApiError {
  return new ApiError("payment_method_unexpected_state", message, { param });
}
