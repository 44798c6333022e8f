import type { DeclineCode } from "@florin/contract/declines.ts";
import { unreachable } from "../../primitives/unreachable.ts";
import type { OperationAnswer, OperationKind } from "../processor.ts";
import type { TestCard } from "./test-cards.ts";

/** One line of the simulated acquirer's books about what was asked of an approval later. */
export type OperationLine = {
  readonly state: "done" | "refused" | "pending";
  readonly refusal: DeclineCode | null;
  /** What it becomes when its caller is told. */
  readonly becomes: "done" | "refused" | null;
  readonly tellAt: Date | null;
};

/** An approval as its operations find it. */
export type Approval = {
  readonly state: "approved" | "declined" | "pending" | "reversed";
  readonly approvedMinor: number;
  readonly currency: string;
  readonly capturedMinor: number;
  /** Given back, or on its way. */
  readonly refundedMinor: number;
  readonly sequel: Sequel | null;
};

/** What a test card, or an amount, makes of the operations that follow. */
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

/** What the acquirer does with an operation on an approval of its own; null: it knows of none. Pure. */
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

/** What the books say at this moment, in the words of the port. */
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
