import type { Currency } from "../primitives/money.ts";

/** What a settlement line can be about. */
export type Noun = "charge" | "refund" | "dispute";

/** What one side says of a thing, in all: amounts are from the merchant's side, so what left is negative. */
export type Side = {
  readonly state: string;
  readonly amount: number;
  /** Null where it says more than one, or none. */
  readonly currency: Currency | null;
};

/** A charge, refund or dispute as all sides know it at one moment. */
export type Subject = {
  readonly noun: Noun;
  readonly subject: string;
  readonly reference: string;
  readonly payment: Side | null;
  /** Every file that has come in, added up; a line that came twice counts once. */
  readonly acquirer: (Side & { readonly repeated: boolean; readonly newestAt: Date }) | null;
  readonly ledger: Side | null;
  /** Whether the event that belongs to its state is there. */
  readonly announced: boolean;
  /** Something is still under way: its outcome is unknown, or an answer is on its way. */
  readonly undecided: boolean;
  /** It moved after what the newest file can know of, or so shortly before that the acquirer may book it later. */
  readonly justMoved: boolean;
};
