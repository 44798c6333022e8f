import type { DeclineCode } from "@florin/contract/declines.ts";
import type { TestCard } from "@florin/contract/test-cards.ts";
import type { OperationOutcome } from "@florin/server/acquiring/outcome.ts";
import type { OperationKind } from "@florin/server/acquiring/processor.ts";
import { assertNever } from "@florin/server/core/assert-never.ts";

/** A capture, void or refund in the simulator's ledger. */
export type OperationLine = {
  readonly state: "done" | "declined" | "pending";
  readonly declineCode: DeclineCode | null;
  /** The state that the operation has from `notifyAt` on. Null if the state no longer changes. */
  readonly pendingOutcome: "done" | "declined" | null;
  readonly notifyAt: Date | null;
};

/** The fields of an authorization that determine the results of its operations. */
export type Approval = {
  readonly state: "approved" | "declined" | "pending" | "reversed";
  readonly approvedMinor: number;
  readonly currency: string;
  readonly capturedMinor: number;
  /** The refunded amount, including pending refunds. */
  readonly refundedMinor: number;
  readonly behavior: OperationBehavior | null;
};

/** The effect of a test card or an amount on later operations. */
export type OperationBehavior =
  | "capture_fails"
  | "refund_is_pending_then_succeeds"
  | "refund_succeeds_then_fails";

export function behaviorOf(card: TestCard, captureFails: boolean): OperationBehavior | null {
  if (captureFails) return "capture_fails";
  return card.afterwards === "refund_is_pending_then_succeeds" ||
    card.afterwards === "refund_succeeds_then_fails"
    ? card.afterwards
    : null;
}

/** Returns the acquirer's decision on an operation. Declines an operation on an unknown authorization (null). */
export function decideOperation(
  requested: {
    readonly kind: OperationKind;
    readonly amountMinor: number;
    readonly currency: string;
  },
  approval: Approval | null,
  notifyAt: Date,
): OperationLine {
  const declineCode = declineReason(requested, approval);
  if (declineCode) return { ...done, state: "declined", declineCode };
  const behavior = requested.kind === "refund" ? approval?.behavior : null;
  if (behavior === "refund_is_pending_then_succeeds") {
    return { ...done, state: "pending", pendingOutcome: "done", notifyAt };
  }
  if (behavior === "refund_succeeds_then_fails") {
    return { ...done, declineCode: "invalid_account", pendingOutcome: "declined", notifyAt };
  }
  return done;
}

const done: OperationLine = {
  state: "done",
  declineCode: null,
  pendingOutcome: null,
  notifyAt: null,
};

function declineReason(
  requested: {
    readonly kind: OperationKind;
    readonly amountMinor: number;
    readonly currency: string;
  },
  approval: Approval | null,
): DeclineCode | null {
  if (approval?.state !== "approved") return "processing_error";
  if (requested.currency !== approval.currency) return "currency_not_supported";
  switch (requested.kind) {
    case "capture":
      if (approval.capturedMinor > 0 || approval.behavior === "capture_fails") {
        return "processing_error";
      }
      return requested.amountMinor > approval.approvedMinor ? "invalid_amount" : null;
    case "void":
      return approval.capturedMinor > 0 ? "processing_error" : null;
    case "refund": {
      const left = approval.capturedMinor - approval.refundedMinor;
      return requested.amountMinor > left ? "invalid_amount" : null;
    }
    default:
      return assertNever(requested.kind);
  }
}

/** Returns the operation's state at this time as an acquirer response. */
export function operationResponse(line: OperationLine, now: Date): OperationOutcome {
  const state =
    line.pendingOutcome && line.notifyAt && line.notifyAt <= now ? line.pendingOutcome : line.state;
  switch (state) {
    case "done":
      return { kind: "done", acquirerReference: null };
    case "pending":
      return { kind: "pending", acquirerReference: null };
    case "declined":
      return { kind: "declined", code: line.declineCode ?? "processing_error", reason: null };
    default:
      return assertNever(state);
  }
}
