import type { DeclineCode } from "@florin/contract/declines.ts";
import type { TestCard } from "@florin/contract/test-cards.ts";
import type { OperationAnswer, OperationKind } from "@florin/server/acquiring/processor.ts";
import { unreachable } from "@florin/server/core/unreachable.ts";

/** One capture, void or refund in the simulator's ledger. */
export type OperationLine = {
  readonly state: "done" | "refused" | "pending";
  readonly refusal: DeclineCode | null;
  /** The state after the notice is sent. */
  readonly becomes: "done" | "refused" | null;
  readonly tellAt: Date | null;
};

/** An authorization as its operations see it. */
export type Approval = {
  readonly state: "approved" | "declined" | "pending" | "reversed";
  readonly approvedMinor: number;
  readonly currency: string;
  readonly capturedMinor: number;
  /** Refunded, including pending refunds. */
  readonly refundedMinor: number;
  readonly sequel: Sequel | null;
};

/** The effect of a test card or an amount on later operations. */
export type Sequel =
  | "capture_fails"
  | "refund_is_pending_then_succeeds"
  | "refund_succeeds_then_fails";

export function sequelOf(card: TestCard, captureFails: boolean): Sequel | null {
  if (captureFails) return "capture_fails";
  return card.afterwards === "refund_is_pending_then_succeeds" ||
    card.afterwards === "refund_succeeds_then_fails"
    ? card.afterwards
    : null;
}

/** Returns the acquirer's decision on an operation, or null for an unknown authorization. Pure. */
export function decideOperation(
  asked: { readonly kind: OperationKind; readonly amountMinor: number; readonly currency: string },
  approval: Approval | null,
  tellAt: Date,
): OperationLine {
  const refusal = reasonToRefuse(asked, approval);
  if (refusal) return { ...done, state: "refused", refusal };
  const sequel = asked.kind === "refund" ? approval?.sequel : null;
  if (sequel === "refund_is_pending_then_succeeds") {
    return { ...done, state: "pending", becomes: "done", tellAt };
  }
  if (sequel === "refund_succeeds_then_fails") {
    return { ...done, refusal: "invalid_account", becomes: "refused", tellAt };
  }
  return done;
}

const done: OperationLine = { state: "done", refusal: null, becomes: null, tellAt: null };

function reasonToRefuse(
  asked: { readonly kind: OperationKind; readonly amountMinor: number; readonly currency: string },
  approval: Approval | null,
): DeclineCode | null {
  if (approval?.state !== "approved") return "processing_error";
  if (asked.currency !== approval.currency) return "currency_not_supported";
  switch (asked.kind) {
    case "capture":
      if (approval.capturedMinor > 0 || approval.sequel === "capture_fails") {
        return "processing_error";
      }
      return asked.amountMinor > approval.approvedMinor ? "invalid_amount" : null;
    case "void":
      return approval.capturedMinor > 0 ? "processing_error" : null;
    case "refund": {
      const left = approval.capturedMinor - approval.refundedMinor;
      return asked.amountMinor > left ? "invalid_amount" : null;
    }
    default:
      return unreachable(asked.kind);
  }
}

/** Returns the operation's state at this time as an acquirer response. */
export function operationAnswer(line: OperationLine, now: Date): OperationAnswer {
  const state = line.becomes && line.tellAt && line.tellAt <= now ? line.becomes : line.state;
  switch (state) {
    case "done":
      return { kind: "done" };
    case "pending":
      return { kind: "pending" };
    case "refused":
      return { kind: "refused", declineCode: line.refusal ?? "processing_error" };
    default:
      return unreachable(state);
  }
}
