import type { OperationKind } from "@florin/server/acquiring/processor.ts";
import type { AccountId } from "@florin/server/core/ids.ts";

/**
 * Faults of the connection between the service and the acquirer, such as `simulator.injectFaults({ dropAfter: true })`.
 * After a fault, the response that the service receives can differ from the acquirer's state. A service that treats the
 * response as the acquirer's state could charge twice.
 */
export type Faults = {
  /** The affected messages. Absent: all. */
  readonly on?: readonly Message[];
  /** The number of affected messages, after which the fault ends automatically. Absent: no limit. */
  readonly times?: number;
  /**
   * Delays the response. If the response to an authorization is later than the caller's deadline, it is sent as a
   * notification instead.
   */
  readonly delayMs?: number;
  /** Loses the request: nothing is executed and nothing is returned. */
  readonly dropBefore?: boolean;
  /** Executes the request and loses the response. */
  readonly dropAfter?: boolean;
  /** Executes the request after this time, and sends neither a response nor a notification. */
  readonly hangMs?: number;
  /** Executes the request and returns an unreadable response. */
  readonly garbage?: boolean;
  /**
   * Executes the request, but the caller receives a connection reset or a proxy's response instead of the acquirer's
   * response.
   */
  readonly reset?: boolean;
  /** Sends the response a second time, as a notification. */
  readonly respondTwice?: boolean;
  /** Executes the request, and returns a response and a notification with another reference. */
  readonly otherReference?: boolean;
  /** Approves only half of the amount of an authorization, and declines an operation with `invalid_amount`. */
  readonly otherAmount?: boolean;
  /** Returns pending first and a decline later. */
  readonly rejectLate?: boolean;
  /**
   * Delays an authorization until an inquiry has returned "not found" or a reversal has returned "reversed". A service
   * that treats "not found" as final fails a charge that the acquirer then approves.
   */
  readonly arriveAfterNotFound?: boolean;
};

export type Message =
  | "authorize"
  | "verify_card"
  | "inquire"
  | "reverse"
  | "dispute"
  | "payout"
  | "settlement"
  | OperationKind;

/** Stores the active faults and the number of messages that each still affects. */
export type FaultInjector = {
  /**
   * Sets the faults of one merchant, or of all merchants if `merchant` is null. They apply until they have affected
   * `times` messages, or until the next call. `{}` clears them. The faults of one merchant take precedence.
   */
  set(faults: Faults, merchant: AccountId | null): void;
  /** Returns the faults for this message, and counts the message towards their `times`. */
  consume(message: Message, merchant: AccountId): Faults | null;
};

export function createFaultInjector(): FaultInjector {
  const active = new Map<AccountId | null, { readonly faults: Faults; left: number }>();

  function consumeFaultsOf(message: Message, merchant: AccountId | null): Faults | null {
    const found = active.get(merchant);
    if (!found || (found.faults.on && !found.faults.on.includes(message))) return null;
    found.left -= 1;
    if (found.left <= 0) active.delete(merchant);
    return found.faults;
  }

  return {
    set(faults, merchant) {
      active.delete(merchant);
      if (Object.keys(faults).length === 0) return;
      active.set(merchant, { faults, left: faults.times ?? Number.POSITIVE_INFINITY });
    },
    consume(message, merchant) {
      // Fast path: nearly every message has no faults.
      if (active.size === 0) return null;
      return consumeFaultsOf(message, merchant) ?? consumeFaultsOf(message, null);
    },
  };
}
