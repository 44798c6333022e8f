import type {
  ReconciliationDifference as DifferenceObject,
  DifferenceStatus,
} from "@florin/contract/reconciliation.ts";
import { unixSeconds } from "../core/clock.ts";
import { createdAt, type DifferenceId, type ReconciliationId } from "../core/ids.ts";
import type { Scope } from "../core/scope.ts";
import type { Finding } from "./compare.ts";
import { advice, explain } from "./describe-difference.ts";

/** A difference between the payments, the ledger, the events and the acquirer's settlement files. */
export type Difference = {
  readonly id: DifferenceId;
  readonly scope: Scope;
  readonly status: DifferenceStatus;
  readonly foundBy: ReconciliationId;
  readonly closedBy: ReconciliationId | null;
} & Finding;

/** Returns the difference as an API object. */
export function differenceObject(difference: Difference): DifferenceObject {
  const { id, scope, kind, status, reference, payment, acquirer, ledger } = difference;
  return {
    id,
    object: "reconciliation_difference",
    livemode: scope.livemode,
    created: unixSeconds(createdAt(id)),
    kind,
    status,
    reference,
    // The reference is our ID if we know the object.
    object_id: payment && reference,
    payment,
    acquirer,
    ledger,
    message: explain(difference),
    advice: advice[kind],
    found_by: difference.foundBy,
    closed_by: difference.closedBy,
  };
}
