import type { DifferenceKind, DifferenceStatus } from "@florin/contract/reconciliation.ts";
import type { Noun, Side, Subject } from "./subject.ts";

/** One disagreement between the sides. */
export type Finding = {
  readonly kind: DifferenceKind;
  readonly noun: Noun | "file";
  /** A UUID: of the charge, of the refund's operation, of the dispute, or of an unknown case. */
  readonly subject: string;
  readonly reference: string;
  readonly payment: Side | null;
  readonly acquirer: Side | null;
  readonly ledger: Side | null;
};

export type Found = Finding & { readonly status: Exclude<DifferenceStatus, "closed"> };

/**
 * An event this long before the end of a file may still be posted in the next file, because an acquirer's day does not
 * end at the same second as ours.
 */
export const cutOffMs = 60 * 60 * 1000;

/**
 * Returns the disagreements about one object. Compares the settlement file with the payment, and the payment with the
 * ledger and the events. Between us and the acquirer a pending change is in transit. Payment, ledger and event are
 * written in one transaction, so between them nothing is in transit. Pure.
 */
export function compare(subject: Subject, fileUntil: Date): readonly Found[] {
  const { noun, reference, payment, ledger } = subject;
  const acquirer = subject.acquirer && sideOf(subject.acquirer);
  const common = { noun, subject: subject.subject, reference, payment, acquirer, ledger };
  const abroad = withAcquirer(subject);
  return [
    ...(abroad
      ? [{ ...common, kind: abroad, status: statusOf(abroad, subject, fileUntil) } as const]
      : []),
    ...internalDifferences(subject).map((kind) => ({ ...common, kind, status: "open" as const })),
  ];
}

function withAcquirer({ payment, acquirer, ledger }: Subject): DifferenceKind | null {
  if (acquirer?.repeated) return "duplicate_line";
  if (acquirer && !payment) return ledger ? null : "missing_here";
  const ours = payment?.amount ?? 0;
  const theirs = acquirer?.amount ?? 0;
  if (ours !== 0 && !acquirer) return "missing_at_acquirer";
  if (ours !== 0 && theirs !== 0 && payment?.currency !== acquirer?.currency) {
    return "currency_differs";
  }
  if (ours === theirs) return null;
  // One side has the transaction. The other does not, or no longer.
  return ours === 0 || theirs === 0 ? "state_differs" : "amount_differs";
}

/** A duplicate line is open, however new it is. */
function statusOf(kind: DifferenceKind, subject: Subject, fileUntil: Date): Found["status"] {
  if (kind === "duplicate_line") return "open";
  const postedRecently =
    subject.acquirer !== null &&
    subject.acquirer.newestAt.getTime() >= fileUntil.getTime() - cutOffMs;
  return subject.undecided || subject.justMoved || postedRecently ? "in_transit" : "open";
}

function internalDifferences({ payment, ledger, announced }: Subject): DifferenceKind[] {
  if (!payment) return ledger ? ["ledger_unexplained"] : [];
  const kinds: DifferenceKind[] = [];
  if (payment.amount !== 0 && !ledger) kinds.push("ledger_missing");
  else if (differs(payment, ledger)) kinds.push("ledger_differs");
  if (!announced) kinds.push("event_missing");
  return kinds;
}

function differs(payment: Side, ledger: Side | null): boolean {
  if (!ledger) return false;
  if (payment.amount !== ledger.amount) return true;
  return payment.amount !== 0 && payment.currency !== ledger.currency;
}

function sideOf({ state, amount, currency }: Side): Side {
  return { state, amount, currency };
}
