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

/** Returns a promise that never resolves, for a lost response. Only the deadline ends the wait. */
export const neverResolves = (): Promise<never> => new Promise(() => {});

export type UnreliableConnection = {
  /** Waits for this time. Never resolves if the connection is closed first. */
  delay(milliseconds: number): Promise<void>;
  /**
   * Returns the response, or a timeout if it arrives after the deadline. The exchange continues after the deadline, as
   * it would at the acquirer, and `onLateResponse` receives its response.
   */
  withinDeadline<Response>(
    milliseconds: number,
    exchange: Promise<Response>,
    onLateResponse: (response: Response) => void,
  ): Promise<Response | UnknownOutcome>;
  close(): void;
};

export function createUnreliableConnection(): UnreliableConnection {
  const closing = new AbortController();

  function delay(milliseconds: number): Promise<void> {
    return sleep(milliseconds, undefined, { signal: closing.signal, ref: false }).catch(
      neverResolves,
    );
  }

  return {
    delay,

    async withinDeadline(milliseconds, exchange, onLateResponse) {
      const ended = new AbortController();
      const signal = AbortSignal.any([closing.signal, ended.signal]);
      const deadline = sleep(milliseconds, timeout, { signal }).catch(() => connectionLost);
      const response = exchange.catch(() => connectionLost);
      const first = await Promise.race([response, deadline]);
      ended.abort();
      if (first === timeout) void exchange.then(onLateResponse, () => undefined);
      return first;
    },

    close: () => closing.abort(),
  };
}
