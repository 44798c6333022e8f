import fc from "fast-check";
import type { Merchant } from "./merchant.ts";
import type { Model } from "./model.ts";

/** An action of a merchant, a customer or a bank. */
export type Step = {
  /** The description in the output of a failed sequence. */
  readonly description: string;
  /** Returns whether the step is possible in this state. */
  readonly can?: (model: Model, hasInterruptions: boolean) => boolean;
  readonly run: (model: Model, merchant: Merchant) => Promise<void>;
};

/** The position of an object, counted from the latest. */
export const anyOne = fc.nat(3);

export function pick<Item>(items: readonly Item[], which: number): Item {
  return items[items.length - 1 - (which % items.length)] as Item;
}

/** Mostly small amounts, and some above the thresholds in the merchants' rules. */
export const anyAmount = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 100, max: 9_999 }) },
  { weight: 1, arbitrary: fc.integer({ min: 200_000, max: 600_000 }) },
);

/** The share of an amount in a request: all, a part, or more than is allowed. */
export const anyPart = fc.constantFrom("all", "all", "half", "a little", "too much");
export type Part = typeof anyPart extends fc.Arbitrary<infer Name> ? Name : never;

/**
 * Returns the amount to send for this share of `whole`. Returns null for "all", because the request then omits the
 * amount.
 */
export function amountOf(part: Part, whole: number): number | null {
  switch (part) {
    case "all":
      return null;
    case "half":
      return Math.max(1, Math.floor(whole / 2));
    case "a little":
      return Math.min(10, Math.max(1, whole));
    case "too much":
      return whole + 1;
  }
}
