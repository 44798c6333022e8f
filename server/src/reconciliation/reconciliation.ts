import type {
  Reconciliation as ReconciliationObject,
  ReconciliationStatus,
} from "@florin/contract/reconciliation.ts";
import type { SettlementLine } from "../acquiring/settlement-file.ts";
import { unixSeconds } from "../core/clock.ts";
import { createdAt, type ReconciliationId } from "../core/ids.ts";
import type { Scope } from "../core/scope.ts";

/** The comparison of one day with the acquirer's settlement file. */
export type Reconciliation = {
  readonly id: ReconciliationId;
  readonly scope: Scope;
  /** A UTC day such as `2026-01-31`. */
  readonly day: string;
  readonly processor: string;
  readonly checkedAt: Date;
  readonly outcome: Outcome;
};

export type Outcome =
  | {
      readonly status: Extract<ReconciliationStatus, "file_missing" | "file_unreadable">;
      readonly message: string;
    }
  | {
      readonly status: Extract<ReconciliationStatus, "balanced" | "in_transit" | "differences">;
      readonly completeUntil: Date;
      readonly open: number;
      readonly inTransit: number;
      readonly settled: readonly Settled[];
    };

export type Settled = ReconciliationObject["settled"][number];

/** Returns the outcome of a day from its differences. */
export function outcomeOf(
  found: readonly { readonly status: "open" | "in_transit" }[],
  file: { readonly until: Date; readonly settled: readonly Settled[] },
): Outcome {
  const open = found.filter(({ status }) => status === "open").length;
  const inTransit = found.length - open;
  const status = open > 0 ? "differences" : inTransit > 0 ? "in_transit" : "balanced";
  return { status, completeUntil: file.until, open, inTransit, settled: file.settled };
}

const nothingSettled = { lines: 0, captured: 0, refunded: 0, charged_back: 0, fees: 0, net: 0 };

/** Adds a line to the sums of its currency. */
export function addLine(sums: Settled | undefined, line: SettlementLine): Settled {
  const { type, currency, amountMinor, feeMinor } = line;
  const before = sums ?? { currency, ...nothingSettled };
  const part =
    type === "capture" || type === "capture_reversal"
      ? "captured"
      : type === "refund" || type === "refund_return"
        ? "refunded"
        : "charged_back";
  return {
    ...before,
    lines: before.lines + 1,
    [part]: before[part] + amountMinor,
    fees: before.fees + feeMinor,
    net: before.net + amountMinor - feeMinor,
  };
}

/** Returns the reconciliation as an API object. */
export function reconciliationObject(reconciliation: Reconciliation): ReconciliationObject {
  const { id, scope, day, processor, checkedAt, outcome } = reconciliation;
  const compared = "open" in outcome ? outcome : null;
  return {
    id,
    object: "reconciliation",
    livemode: scope.livemode,
    created: unixSeconds(createdAt(id)),
    day,
    status: outcome.status,
    processor,
    checked_at: unixSeconds(checkedAt),
    complete_until: compared && unixSeconds(compared.completeUntil),
    failure_message: "message" in outcome ? outcome.message : null,
    open_differences: compared?.open ?? 0,
    in_transit_differences: compared?.inTransit ?? 0,
    settled: [...(compared?.settled ?? [])],
  };
}
