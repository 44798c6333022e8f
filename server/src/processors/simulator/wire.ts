import { setTimeout as sleep } from "node:timers/promises";
import type { OperationKind } from "../processor.ts";

/**
 * The line between the service and the acquirer, which can be made to fail in every way a real one does:
 * `simulator.misbehave({ dropAfter: true })`. What an acquirer did and what was heard of it are two things, and
 * a service that confuses them charges twice.
 */
export type Faults = {
  /** Which messages suffer; all of them when left out. */
  readonly on?: readonly Operation[];
  /** How many messages suffer before the line heals by itself; without end when left out. */
  readonly times?: number;
  /** The answer is late by this much. Later than the deadline, it comes as a notice to a caller who gave up. */
  readonly delayMs?: number;
  /** The request is lost: nothing happens, nothing is answered. */
  readonly dropBefore?: boolean;
  /** The request is carried out, and its answer lost. */
  readonly dropAfter?: boolean;
  /** The request is carried out, and its answer cannot be read. */
  readonly garbage?: boolean;
  /** The answer to an authorisation comes a second time, as a notice. */
  readonly answerTwice?: boolean;
  /**
   * An authorisation is stuck on its way until somebody was told "not found", or "reversed", about it; only
   * then does it arrive. Whoever believed "not found" has failed a charge that is about to be approved.
   */
  readonly arriveAfterNotFound?: boolean;
};

export type Operation =
  | "authorize"
  | "inquire"
  | "reverse"
  | "dispute"
  | "payout"
  | "settlement"
  | OperationKind;

export type Unheard = {
  readonly kind: "unknown";
  readonly why: "timeout" | "invalid_response" | "connection_lost";
};

export const timeout: Unheard = { kind: "unknown", why: "timeout" };
export const invalidResponse: Unheard = { kind: "unknown", why: "invalid_response" };
export const connectionLost: Unheard = { kind: "unknown", why: "connection_lost" };

/** An answer that never comes. Only a deadline ends the wait for it. */
export const silence = (): Promise<never> => new Promise(() => {});

export type Wire = {
  /** Waits, unless the wire is closed first: then it never returns. */
  pause(milliseconds: number): Promise<void>;
  /**
   * What was heard of `conversation` within the time the caller has. It goes on after that, as it would at the
   * acquirer; `late` gets what it says then.
   */
  withinDeadline<Answer>(
    milliseconds: number,
    conversation: Promise<Answer>,
    late: (answer: Answer) => void,
  ): Promise<Answer | Unheard>;
  close(): void;
};

export function openWire(): Wire {
  const closing = new AbortController();

  function pause(milliseconds: number): Promise<void> {
    return sleep(milliseconds, undefined, { signal: closing.signal, ref: false }).catch(silence);
  }

  return {
    pause,

    async withinDeadline(milliseconds, conversation, late) {
      const answered = new AbortController();
      const signal = AbortSignal.any([closing.signal, answered.signal]);
      const deadline = sleep(milliseconds, timeout, { signal }).catch(() => connectionLost);
      const heard = conversation.catch(() => connectionLost);
      const first = await Promise.race([heard, deadline]);
      answered.abort();
      if (first === timeout) void conversation.then(late, () => undefined);
      return first;
    },

    close: () => closing.abort(),
  };
}
