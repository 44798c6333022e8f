import fc from "fast-check";
import type { Merchant } from "./merchant.ts";
import type { Model } from "./model.ts";

/** One thing a merchant, or a customer of theirs, does. */
export type Step = {
  /** As it is printed when a sequence fails. */
  readonly words: string;
  readonly can?: (model: Model, stormy: boolean) => boolean;
  readonly run: (model: Model, merchant: Merchant) => Promise<void>;
};

/** What a step is about: one of those there are, counted from the latest. */
export const anyOne = fc.nat(3);

export function pick<Item>(items: readonly Item[], which: number): Item {
  return items[items.length - 1 - (which % items.length)] as Item;
}

/** Mostly ordinary amounts, and some above what merchants' rules are about. */
export const anyAmount = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 100, max: 9_999 }) },
  { weight: 1, arbitrary: fc.integer({ min: 200_000, max: 600_000 }) },
);

/** All of it, a part, or more than there can be. */
export const anyPart = fc.constantFrom("all", "all", "half", "a little", "too much");
export type Part = typeof anyPart extends fc.Arbitrary<infer Name> ? Name : never;

/** So much of `whole`; null is left out of the request. */
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
