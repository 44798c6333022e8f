import { setTimeout as sleep } from "node:timers/promises";

export type NoResponseReceived = {
  readonly kind: "unknown";
  readonly why: "timeout" | "invalid_response" | "connection_lost";
};

export const timeout: NoResponseReceived = { kind: "unknown", why: "timeout" };
export const invalidResponse: NoResponseReceived = { kind: "unknown", why: "invalid_response" };
export const connectionLost: NoResponseReceived = { kind: "unknown", why: "connection_lost" };

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
  ): Promise<Response | NoResponseReceived>;
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
