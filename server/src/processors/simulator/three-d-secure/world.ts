import type { Database } from "../../../database/database.ts";
import type { Clock } from "../../../primitives/clock.ts";

/** Dependencies of the simulated directory server and bank. They talk to the service and to each other over HTTP only. */
export type SimulatedWorld = {
  readonly database: Database;
  readonly clock: Clock;
  /** The origin of the loopback listener, on which the directory server and the bank receive messages. */
  readonly serverUrl: () => string;
  /** Returns whether a URL is exactly the one that the service gives out for this purpose and transaction, secret included. */
  readonly isCallbackUrl: IsCallbackUrl;
  /** As browsers reach the service. */
  readonly publicUrl: () => string;
  readonly timing: BankTiming;
};

/** Purposes of URLs at which the service is called back, as `three-d-secure/addresses.ts` has them. */
export type IsCallbackUrl = (
  purpose: "method" | "notification" | "results",
  url: string,
  transactionId: string,
) => boolean;

export type BankTiming = {
  /** EMV 3DS: the CReq must come within 30 s of the ARes. */
  readonly creqWithinMs: number;
  /** EMV 3DS: each step of a challenge ends after 10 minutes. */
  readonly stepWithinMs: number;
  /** How long the bank waits before it tells a result again that nobody heard. */
  readonly tellAgainMs: number;
};

export const usualBankTiming: BankTiming = {
  creqWithinMs: 30_000,
  stepWithinMs: 10 * 60_000,
  tellAgainMs: 5_000,
};

export const simulatorPaths = {
  directory: "/simulator/three-d-secure/directory",
  bank: "/simulator/three-d-secure/bank",
  method: "/simulator/three-d-secure/method",
  silentMethod: "/simulator/three-d-secure/method/silent",
  challenge: "/simulator/three-d-secure/challenge",
  answer: "/simulator/three-d-secure/challenge/answer",
  script: "/simulator/three-d-secure/bank.js",
  style: "/simulator/three-d-secure/bank.css",
} as const;

/**
 * Where browsers meet the bank. A real bank is another origin; on a developer's own machine it is the other name of
 * the loopback address, so that the browser holds the two apart. Elsewhere it shares our origin, and the sandbox
 * of its frame keeps it apart.
 */
export function bankOrigin(publicUrl: string): string {
  const url = new URL(publicUrl);
  // Not the other way round: a server on `localhost` may listen on IPv6 alone.
  if (url.hostname === "127.0.0.1") url.hostname = "localhost";
  return url.origin;
}

/**
 * Returns the same path on the loopback listener of this process. A stored URL names the port of the process that
 * stored it, which may have stopped since.
 */
export function onThisListener(storedUrl: string, serverUrl: string): string {
  return `${serverUrl}${new URL(storedUrl).pathname}`;
}
