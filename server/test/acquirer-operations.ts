import { type ChargeId, uuidOf } from "../src/core/ids.ts";
import type { Shop } from "./shop.ts";

/** Returns the acquirer's operations on a charge after its approval, oldest first. */
export function operationsAtAcquirer(shop: Shop, charge: ChargeId) {
  return shop.app.database.read<{ kind: string; state: string; amount: number }>`
    select kind, state, amount
      from simulator.operations
     where authorization_reference = ${uuidOf(charge)}
     order by reference
  `;
}
