import type { OperationKind } from "@florin/server/acquiring/processor.ts";
import type { AccountId } from "@florin/server/core/ids.ts";

/**
 * The connection between the service and the acquirer, which can fail in every way that a real one does:
 * `simulator.misbehave({ dropAfter: true })`. The acquirer's state and the response received can differ. A service
 * that confuses the two charges twice.
 */
export type Faults = {
  /** The affected messages. Absent: all. */
  readonly on?: readonly Message[];
  /** The number of affected messages, after which the fault ends automatically. Absent: no limit. */
  readonly times?: number;
  /** Delays the response. After the deadline it is sent as a notification, because the caller has given up. */
  readonly delayMs?: number;
  /** Loses the request: nothing is executed and nothing is returned. */
  readonly dropBefore?: boolean;
  /** Executes the request and loses the response. */
  readonly dropAfter?: boolean;
  /** Executes the request after this time and returns neither a response nor a notification. */
  readonly hangMs?: number;
  /** Executes the request and returns an unreadable response. */
  readonly garbage?: boolean;
  /** Executes the request, and resets the connection before the response or returns a proxy's response instead. */
  readonly reset?: boolean;
  /** Sends the response a second time, as a notification. */
  readonly respondTwice?: boolean;
  /** Executes the request, and returns a response and a notification with another reference. */
  readonly otherReference?: boolean;
  /** Changes the amount: half of an authorization is approved, and an operation is declined. */
  readonly otherAmount?: boolean;
  /** Returns pending first and a decline later. */
  readonly rejectLate?: boolean;
  /**
   * Holds an authorization until an inquiry returned "not found" or a reversal returned "reversed". Only then does it
   * arrive. A service that treats "not found" as final fails a charge that is about to be approved.
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

/** The faults in force, and how many more messages each affects. */
export type FaultInjector = {
  /**
   * Sets the faults until the next call. `{}` clears them. A merchant's own faults take precedence over faults for all
   * merchants.
   */
  begin(faults: Faults, merchant: AccountId | null): void;
  /** Returns the faults for this message and counts the message. */
  strike(message: Message, merchant: AccountId): Faults | null;
};

export function createFaultInjector(): FaultInjector {
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
      // Fast path: nearly every message has no faults.
      if (standing.size === 0) return null;
      return strikeOne(message, merchant) ?? strikeOne(message, null);
    },
  };
}
