import { setTimeout as sleep } from "node:timers/promises";
import type { UnknownOutcome } from "@florin/server/acquiring/outcome.ts";

export const timeout: UnknownOutcome = {
  kind: "unknown",
  why: "timeout",
  problem: "no response in time",
};
export const invalidResponse: UnknownOutcome = {
  kind: "unknown",
  why: "invalid_response",
  problem: "the response is not valid",
};
export const connectionLost: UnknownOutcome = {
  kind: "unknown",
  why: "connection_lost",
  problem: "the connection was lost",
};

/** A response that never arrives. Only a deadline ends the wait. */
export const silence = (): Promise<never> => new Promise(() => {});

export type Wire = {
  /** Waits. If the connection is closed first, it never returns. */
  delay(milliseconds: number): Promise<void>;
  /**
   * Returns the response that arrives within the caller's deadline. The conversation continues after the deadline, as
   * it would at the acquirer, and `late` receives its response.
   */
  withinDeadline<Response>(
    milliseconds: number,
    conversation: Promise<Response>,
    late: (response: Response) => void,
  ): Promise<Response | UnknownOutcome>;
  close(): void;
};

export function createUnreliableConnection(): Wire {
  const closing = new AbortController();

  function delay(milliseconds: number): Promise<void> {
    return sleep(milliseconds, undefined, { signal: closing.signal, ref: false }).catch(silence);
  }

  return {
    delay,

    async withinDeadline(milliseconds, conversation, late) {
      const ended = new AbortController();
      const signal = AbortSignal.any([closing.signal, ended.signal]);
      const deadline = sleep(milliseconds, timeout, { signal }).catch(() => connectionLost);
      const response = conversation.catch(() => connectionLost);
      const first = await Promise.race([response, deadline]);
      ended.abort();
      if (first === timeout) void conversation.then(late, () => undefined);
      return first;
    },

    close: () => closing.abort(),
  };
}
