import type { OperationKind, Processor } from "../../acquiring/processor.ts";
import type { Clock } from "../../core/clock.ts";
import type { Owner } from "../../core/owner.ts";
import type { Accounts } from "../../identity/accounts/account-cache.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Tx } from "../../platform/database/sql.ts";
import type { IdempotencyKeys } from "../../platform/idempotency/idempotency.ts";
import type { EventCause } from "../../webhooks/events/event.ts";
import type { SucceededCharge } from "./charge.ts";
import type { ChargeLinks } from "./charge-object.ts";
import type { OperationRules } from "./operation.ts";

export type AfterRefund = (
  tx: Tx,
  charge: SucceededCharge,
  context: { readonly cause: EventCause | null; readonly now: Date },
) => Promise<void>;

/** The dependencies of operations on charges. */
export type OperationDeps = {
  readonly database: Database;
  readonly clock: Clock;
  /** Returns a jitter between 0 and 1 for retries. */
  readonly chance: () => number;
  readonly processNumber: () => number;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly processorFor: (owner: Owner) => Processor | null;
  readonly accounts: Accounts;
  readonly links: ChargeLinks;
  /** Passed in, because refunds are in a folder that depends on this one. */
  readonly rules: Readonly<Record<OperationKind, OperationRules>>;
  /** Runs in the transaction that records a refund's success, under the lock of the charge. */
  readonly afterRefund: AfterRefund;
  readonly wakeDeliveries: () => void;
  readonly log: {
    manualReview(operation: string): void;
    inquiryFailed(operation: string, error: unknown): void;
  };
};
