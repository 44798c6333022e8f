import { type ChargeId, type Id, type OperationId, parseId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { restartInquiries } from "../charges/apply-response.ts";
import { readCharge } from "../charges/charge.sql.ts";
import type { Charge } from "../charges/charge.ts";
import type { ChargeDeps } from "../charges/charge-deps.ts";
import { recordCharge } from "../charges/record-charge.ts";
import { readOperation } from "../operations/operation.sql.ts";
import { type Operation, restartOperationInquiries } from "../operations/operation.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import { decideOperation } from "../operations/record-operation.ts";

export type RestartInquiryDeps = {
  readonly charges: ChargeDeps;
  readonly operations: OperationDeps;
};

/**
 * Restarts the status inquiries of a charge or operation in manual review, because the acquirer may know the outcome by
 * now. The reference stays the same, so money moves at most once. Returns whether the object now waits for an inquiry.
 * If the restart fails, logs the error and returns false, so that the caller can continue with other objects.
 */
export async function restartInquiry(
  { charges, operations }: RestartInquiryDeps,
  scope: Scope,
  id: Id<"ch" | "op">,
): Promise<boolean> {
  const charge = parseId("ch", id);
  if (charge) {
    return restartCharge(charges, scope, charge).catch((error) => {
      charges.log.inquiryFailed(charge, error);
      return false;
    });
  }
  const operation = id as OperationId;
  return restartOperation(operations, scope, operation).catch((error) => {
    operations.log.inquiryFailed(operation, error);
    return false;
  });
}

async function restartCharge(deps: ChargeDeps, scope: Scope, id: ChargeId): Promise<boolean> {
  const charge = await readCharge(deps.database.read, scope, id);
  if (charge?.status !== "processing") return false;
  return isInquired((await recordCharge(deps, charge, restartInquiries)).charge);
}

async function restartOperation(
  deps: OperationDeps,
  scope: Scope,
  id: OperationId,
): Promise<boolean> {
  const operation = await readOperation(deps.database.read, scope, id);
  if (!operation) return false;
  return isInquired((await decideOperation(deps, operation, restartOperationInquiries)).operation);
}

function isInquired(one: Charge | Operation): boolean {
  return one.status === "processing" && one.pendingReason === "outcome_unknown";
}
