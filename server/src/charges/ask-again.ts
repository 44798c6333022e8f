import { type ChargeId, type Id, type OperationId, parseId } from "../primitives/ids.ts";
import type { Owner } from "../primitives/owner.ts";
import { readCharge } from "./charge.sql.ts";
import type { ChargeDeps } from "./charge-deps.ts";
import { readOperation } from "./operation.sql.ts";
import type { OperationDeps } from "./operation-deps.ts";
import { recordCharge } from "./record-charge.ts";
import { takeUpOperation } from "./record-operation.ts";

export type AskAgainDeps = { readonly charges: ChargeDeps; readonly operations: OperationDeps };

/**
 * Begins the inquiries about a charge or an operation anew that were given up for want of an answer: by now the acquirer
 * may have one. What it is asked to do it does once, under the same reference. False where nothing waits for it any more.
 */
export async function askAgain(
  { charges, operations }: AskAgainDeps,
  owner: Owner,
  id: Id<"ch" | "op">,
): Promise<boolean> {
  const charge = parseId("ch", id);
  if (charge) return takeUpCharge(charges, owner, charge);
  const operation = await readOperation(operations.database.read, owner, id as OperationId);
  return operation !== null && takeUpOperation(operations, operation);
}

async function takeUpCharge(deps: ChargeDeps, owner: Owner, id: ChargeId): Promise<boolean> {
  const charge = await readCharge(deps.database.read, owner, id);
  if (charge?.status !== "processing") return false;
  let isTakenUp = false;
  await recordCharge(deps, charge, (current) => {
    isTakenUp = current.pendingReason === "manual_review";
    if (!isTakenUp) return null;
    const version = current.version + 1;
    return { ...current, version, pendingReason: "outcome_unknown", inquiries: 0 };
  });
  return isTakenUp;
}
