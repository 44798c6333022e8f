import type { AccountId } from "../../primitives/ids.ts";
import type { OperationKind } from "../processor.ts";

/**
 * The line between the service and the acquirer, which can be made to fail in every way a real one does:
 * `simulator.misbehave({ dropAfter: true })`. What an acquirer did and what was heard of it are two things, and
 * a service that confuses them charges twice.
 */
export type Faults = {
  /** Which messages suffer; all of them when left out. */
  readonly on?: readonly Message[];
  /** How many messages suffer before the line heals by itself; without end when left out. */
  readonly times?: number;
  /** The answer is late by this much. Later than the deadline, it comes as a notice to a caller who gave up. */
  readonly delayMs?: number;
  /** The request is lost: nothing happens, nothing is answered. */
  readonly dropBefore?: boolean;
  /** The request is carried out, and its answer lost. */
  readonly dropAfter?: boolean;
  /** The request lies about for this long, unanswered, and is carried out then. Nobody is told. */
  readonly hangMs?: number;
  /** The request is carried out, and its answer cannot be read. */
  readonly garbage?: boolean;
  /** The request is carried out, and the connection is reset before the answer, or a proxy answers in its place. */
  readonly reset?: boolean;
  /** The answer comes a second time, as a notice. */
  readonly answerTwice?: boolean;
  /** The answer, and a notice, are about somebody else's reference. The request is carried out. */
  readonly otherReference?: boolean;
  /** Another amount than was asked for: half of an authorisation is approved, and an operation refused for it. */
  readonly otherAmount?: boolean;
  /** "Not yet" is answered first, and "no" comes later. */
  readonly refuseLate?: boolean;
  /**
   * An authorisation is stuck on its way until somebody was told "not found", or "reversed", about it; only
   * then does it arrive. Whoever believed "not found" has failed a charge that is about to be approved.
   */
  readonly arriveAfterNotFound?: boolean;
};

export type Message =
  | "authorize"
  | "inquire"
  | "reverse"
  | "dispute"
  | "payout"
  | "settlement"
  | OperationKind;

/** Whose messages suffer, and how many more of them. */
export type Misfortunes = {
  /** From now on, until the next call; `{}` heals. A merchant's own faults come before those of all. */
  begin(faults: Faults, merchant: AccountId | null): void;
  /** What this message suffers; asking counts it. */
  strike(message: Message, merchant: AccountId): Faults | null;
};

export function openMisfortunes(): Misfortunes {
  const standing = new Map<AccountId | null, { readonly faults: Faults; left: number }>();

  function strikeOne(message: Message, whose: AccountId | null): Faults | null {
    const found = standing.get(whose);
    if (!found || (found.faults.on && !found.faults.on.includes(message))) return null;
    found.left -= 1;
    if (found.left <= 0) standing.delete(whose);
    return found.faults;
  }

  return {
    begin(faults, merchant) {
      standing.delete(merchant);
      if (Object.keys(faults).length === 0) return;
      standing.set(merchant, { faults, left: faults.times ?? Number.POSITIVE_INFINITY });
    },
    strike(message, merchant) {
      // The path of nearly every message.
      if (standing.size === 0) return null;
      return strikeOne(message, merchant) ?? strikeOne(message, null);
    },
  };
}
