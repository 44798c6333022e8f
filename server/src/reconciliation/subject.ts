import type { Currency } from "../core/money.ts";

/** The kinds of object that a settlement line refers to. */
export type Noun = "charge" | "refund" | "dispute";

/** One side's total for an object. Amounts are from the merchant's side, so outgoing money is negative. */
export type Side = {
  readonly state: string;
  readonly amount: number;
  /** Null if there is no currency or more than one. */
  readonly currency: Currency | null;
};

/** A charge, refund or dispute on all sides in one snapshot. */
export type Subject = {
  readonly noun: Noun;
  readonly subject: string;
  readonly reference: string;
  readonly payment: Side | null;
  /** The sum of every received file. A duplicate line counts once. */
  readonly acquirer: (Side & { readonly repeated: boolean; readonly newestAt: Date }) | null;
  readonly ledger: Side | null;
  /** True if the event for its state exists. */
  readonly announced: boolean;
  /** A change is in progress: its outcome is unknown or a response is due. */
  readonly undecided: boolean;
  /** It changed after the end of the newest file, or so shortly before that the acquirer may book it later. */
  readonly justMoved: boolean;
};
