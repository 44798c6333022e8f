import type { PendingReason } from "@florin/contract/charge.ts";
import type { DeclineCode } from "@florin/contract/declines.ts";
import type { RefundReason } from "@florin/contract/refund.ts";
import type { NewEvent } from "../events/event.ts";
import type { Answer } from "../http/route.ts";
import type { Entry } from "../ledger/ledger.sql.ts";
import type { BalanceTransactionId, ChargeId, OperationId, RequestId } from "../primitives/ids.ts";
import type { Money } from "../primitives/money.ts";
import type { Moves } from "../primitives/moves.ts";
import type { Owner } from "../primitives/owner.ts";
import type { Pricing } from "../primitives/pricing.ts";
import { unreachable } from "../primitives/unreachable.ts";
import type { OperationAnswer, OperationKind } from "../processors/processor.ts";
import type { Charge } from "./charge.ts";
import { nextInquiry } from "./inquiry-schedule.ts";

/**
 * What is done at the acquirer to a charge that it approved: its money is taken, let go, or given back. Each goes the
 * charge's own way: written down, asked for under its id, and recorded once.
 */
export type Operation =
  | (OperationFacts & {
      readonly status: "processing";
      readonly pendingReason: PendingReason | null;
    })
  | (OperationFacts & { readonly status: "succeeded" })
  | (OperationFacts & {
      readonly status: "failed";
      readonly failureCode: DeclineCode;
      /** The entry that returned the money of a refund that had succeeded before it failed. */
      readonly failureEntry: BalanceTransactionId | null;
    });

/** Where an operation may go; only a refund comes back after its end. */
export const operationMoves: Moves<Operation["status"]> = {
  processing: { succeeded: "the acquirer did it", failed: "the acquirer refused" },
  succeeded: { failed: "the cardholder's bank sent a refund back" },
  failed: {},
};

export type ProcessingOperation = Extract<Operation, { status: "processing" }>;

export type OperationFacts = {
  readonly id: OperationId;
  readonly owner: Owner;
  readonly kind: OperationKind;
  readonly chargeId: ChargeId;
  readonly version: number;
  readonly price: Money;
  readonly reason: RefundReason | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly request: { readonly id: RequestId; readonly idempotencyKey: string | null } | null;
  readonly inquiries: number;
};

/** What one kind of operation means for its charge. Pure, all of it. */
export type OperationRules = {
  /** Whether it may begin, and how much it is; throws what the merchant is told. */
  readonly open: (charge: Charge, amountMinor: number | null, now: Date) => Opened;
  /** What an operation that has moved from `before` to `after` makes of its charge, and of the books. */
  readonly follow: (before: Operation, after: Operation, world: Before) => After;
  /** What the request that began it is answered. */
  readonly answer: (operation: Operation, charge: Charge, render: Rendering) => Answer;
};

export type Opened = {
  readonly amountMinor: number;
  /** The charge while the operation is open, where that changes it: a refund takes its amount at once. */
  readonly charge: Charge | null;
};

export type Before = {
  readonly charge: Charge;
  readonly pricing: Pricing;
  readonly now: Date;
  readonly render: Rendering;
};

export type After = {
  /** The same object if nothing changed; otherwise its version is one more. */
  readonly charge: Charge;
  readonly entry: Entry | null;
  readonly events: readonly NewEvent[];
};

/** How things are written for the wire. */
export type Rendering = {
  readonly charge: (charge: Charge) => string;
  readonly baseUrl: string;
};

/**
 * What an operation becomes by what was learnt. Silence is no answer, and neither is a request that never left: an
 * earlier one may be on its way. It stays as it is and is asked again, under the same reference.
 */
export function hearOperation(
  operation: Operation,
  answer: OperationAnswer,
  failureEntry: BalanceTransactionId,
): Operation | null {
  const { status } = operation;
  const facts = factsOf(operation);
  switch (answer.kind) {
    case "done":
      return status === "processing" ? { ...facts, status: "succeeded" } : null;
    case "refused": {
      const failureCode = answer.declineCode;
      if (status === "processing") {
        return { ...facts, status: "failed", failureCode, failureEntry: null };
      }
      // A cardholder's bank may send a refund back days later; nothing else is undone after its end.
      const isLate = status === "succeeded" && operation.kind === "refund";
      return isLate ? { ...facts, status: "failed", failureCode, failureEntry } : null;
    }
    case "pending":
      return wait(operation, "acquirer_processing");
    case "unknown":
      return wait(operation, "outcome_unknown");
    default:
      return unreachable(answer);
  }
}

function wait(operation: Operation, pendingReason: PendingReason): Operation | null {
  if (operation.status !== "processing") return null;
  return { ...factsOf(operation), status: "processing", pendingReason };
}

/** The same after one more inquiry; when none is left it waits for a person. */
export function hearInquiry(operation: ProcessingOperation, heard: Operation | null, now: Date) {
  const inquiries = operation.inquiries + 1;
  if (heard?.status !== "processing") return heard && { ...heard, inquiries };
  const isOver = nextInquiry(inquiries, now, 0) === null;
  return { ...heard, inquiries, ...(isOver && { pendingReason: "manual_review" as const }) };
}

/** What waits for a person is asked about anew, from the first inquiry on. Null for what does not wait for one. */
export function takenUp(operation: Operation): ProcessingOperation | null {
  if (operation.status !== "processing" || operation.pendingReason !== "manual_review") return null;
  const facts = factsOf(operation);
  return { ...facts, status: "processing", pendingReason: "outcome_unknown", inquiries: 0 };
}

function factsOf(operation: Operation): OperationFacts {
  const { id, owner, kind, chargeId, price, reason, metadata, request, inquiries } = operation;
  const version = operation.version + 1;
  return { id, owner, kind, chargeId, version, price, reason, metadata, request, inquiries };
}
