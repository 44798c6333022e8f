import type { Currency } from "../core/money.ts";

/** The kinds of object that a settlement line refers to. */
export type Noun = "charge" | "refund" | "dispute";

/**
 * The total for an object on one side: our payment, the acquirer or the ledger. Money paid to the merchant is positive,
 * money paid by the merchant negative.
 */
export type Side = {
  readonly state: string;
  readonly amount: number;
  /** Null if the side has no amount, or amounts in several currencies. */
  readonly currency: Currency | null;
};

/** A charge, refund or dispute as recorded on each side, read in one snapshot. */
export type ReconciledObject = {
  readonly noun: Noun;
  readonly subject: string;
  readonly reference: string;
  readonly payment: Side | null;
  /** The sum over all complete files. Duplicate lines count once. */
  readonly acquirer: (Side & { readonly repeated: boolean; readonly newestAt: Date }) | null;
  readonly ledger: Side | null;
  /** True if the event for the object's state exists, or if the state has no event. */
  readonly announced: boolean;
  /** True while a change is in progress: an outcome is unknown or a response is pending. */
  readonly undecided: boolean;
  /**
   * True if the object has changed since `settledBefore` of the compared period. The next file may contain the change.
   */
  readonly justMoved: boolean;
};
