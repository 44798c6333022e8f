import { noSuch } from "../../core/api-error.ts";
import type { CustomerId } from "../../core/ids.ts";
import type { Owner } from "../../core/owner.ts";
import type { Tx } from "../../platform/database/sql.ts";
import type { Vault } from "../../vault/vault.ts";
import { eraseWhenUnused } from "../payment-methods/detach-payment-method.ts";
import { detachAllOf } from "../payment-methods/payment-method.sql.ts";
import { eraseCustomer } from "./customer.sql.ts";

/**
 * Erases a customer's personal data and saved cards. The charges stay and still name the ID. A card whose charge is in
 * progress is erased when the charge has ended.
 */
export async function deleteCustomer(
  tx: Tx,
  vault: Vault,
  owner: Owner,
  id: CustomerId,
  now: Date,
): Promise<void> {
  if (!(await eraseCustomer(tx, owner, id, now))) throw noSuch("customer", id);
  for (const method of await detachAllOf(tx, owner, id, now)) {
    await eraseWhenUnused(tx, vault, owner, method, now);
  }
}
