import type { DifferenceKind, DifferenceStatus } from "@florin/contract/reconciliation.ts";
import type { Noun, ReconciledObject, Side } from "./reconciled-object.ts";

/** One difference between our records and the acquirer's, or within our records. */
export type Finding = {
  readonly kind: DifferenceKind;
  readonly noun: Noun | "file";
  /**
   * The UUID of the charge, of the refund's operation or of the file. For a dispute, the network's case number. For an
   * object that we do not know, a UUID derived from the acquirer's reference.
   */
  readonly subject: string;
  readonly reference: string;
  readonly payment: Side | null;
  readonly acquirer: Side | null;
  readonly ledger: Side | null;
};

export type Found = Finding & { readonly status: Exclude<DifferenceStatus, "closed"> };

/**
 * The tolerance for the acquirer's cut-off time, which differs from Florin's. A transaction that is posted within this
 * time before the end of a file may be in the next file.
 */
export const cutOffMs = 60 * 60 * 1000;

/**
 * Returns the differences for one object. Compares the settlement file with the payment, and the payment with the
 * ledger and the events. A recent change may not have reached the acquirer yet and is then `in_transit`. Payment,
 * ledger and event are written in one transaction, so a difference between them is always open. Pure.
 */
export function compare(subject: ReconciledObject, fileUntil: Date): readonly Found[] {
  const { noun, reference, payment, ledger } = subject;
  const acquirer = subject.acquirer && sideOf(subject.acquirer);
  const common = { noun, subject: subject.subject, reference, payment, acquirer, ledger };
  const external = differenceWithAcquirer(subject);
  return [
    ...(external
      ? [{ ...common, kind: external, status: statusOf(external, subject, fileUntil) } as const]
      : []),
    ...internalDifferences(subject).map((kind) => ({ ...common, kind, status: "open" as const })),
  ];
}

function differenceWithAcquirer({
  payment,
  acquirer,
  ledger,
}: ReconciledObject): DifferenceKind | null {
  if (acquirer?.repeated) return "duplicate_line";
  if (acquirer && !payment) return ledger ? null : "missing_here";
  const paymentAmount = payment?.amount ?? 0;
  const acquirerAmount = acquirer?.amount ?? 0;
  if (paymentAmount !== 0 && !acquirer) return "missing_at_acquirer";
  if (paymentAmount !== 0 && acquirerAmount !== 0 && payment?.currency !== acquirer?.currency) {
    return "currency_differs";
  }
  if (paymentAmount === acquirerAmount) return null;
  // In `state_differs`, the amount is 0 on one side only, for example because the transaction failed or was reversed there.
  return paymentAmount === 0 || acquirerAmount === 0 ? "state_differs" : "amount_differs";
}

/**
 * Returns the status of a difference with the acquirer. A duplicate line is open even if it is recent. A charge or
 * refund that Florin does not know is also open: Florin commits each one before it sends the request, so only a restore
 * from a backup can lose it. An unknown dispute can be in transit, because the acquirer may notify Florin of it later.
 */
function statusOf(
  kind: DifferenceKind,
  subject: ReconciledObject,
  fileUntil: Date,
): Found["status"] {
  if (kind === "duplicate_line") return "open";
  if (kind === "missing_here" && subject.noun !== "dispute") return "open";
  const postedRecently =
    subject.acquirer !== null &&
    subject.acquirer.newestAt.getTime() >= fileUntil.getTime() - cutOffMs;
  // A movement that only one side has recorded so far cannot explain two different amounts or currencies.
  const mayFollow = subject.justMoved && kind !== "amount_differs" && kind !== "currency_differs";
  return subject.undecided || mayFollow || postedRecently ? "in_transit" : "open";
}

function internalDifferences({ payment, ledger, announced }: ReconciledObject): DifferenceKind[] {
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
