import type { Clock } from "@florin/server/core/clock.ts";
import type { Database } from "@florin/server/platform/database/database.ts";

/** Dependencies of the simulated directory server and ACS. They call the service and each other over HTTP only. */
export type ThreeDSecureSimulatorDeps = {
  readonly database: Database;
  readonly clock: Clock;
  /** The origin of the loopback listener, on which the directory server and the ACS receive messages. */
  readonly serverUrl: () => string;
  /** Returns whether a URL is exactly the service's callback URL for this purpose and transaction, secret included. */
  readonly isCallbackUrl: IsCallbackUrl;
  /** The service's origin for browsers. */
  readonly publicUrl: () => string;
  readonly timing: IssuerTiming;
};

/** Purposes of callback URLs, as in `payments/three-d-secure/callback-urls.ts`. */
export type IsCallbackUrl = (
  purpose: "method" | "notification" | "results",
  url: string,
  transactionId: string,
) => boolean;

export type IssuerTiming = {
  /** EMV 3DS: the CReq must arrive within 30 s of the ARes. */
  readonly creqWithinMs: number;
  /** EMV 3DS: each step of a challenge ends after 10 minutes. */
  readonly stepWithinMs: number;
  /** The time after which the ACS sends an undelivered result again. */
  readonly notifyAgainMs: number;
};

export const defaultIssuerTiming: IssuerTiming = {
  creqWithinMs: 30_000,
  stepWithinMs: 10 * 60_000,
  notifyAgainMs: 5_000,
};

export const simulatorPaths = {
  directory: "/simulator/three-d-secure/directory",
  acs: "/simulator/three-d-secure/bank",
  method: "/simulator/three-d-secure/method",
  silentMethod: "/simulator/three-d-secure/method/silent",
  challenge: "/simulator/three-d-secure/challenge",
  input: "/simulator/three-d-secure/challenge/input",
  script: "/simulator/three-d-secure/bank.js",
  style: "/simulator/three-d-secure/bank.css",
} as const;

/**
 * Returns the origin of the ACS pages. A real ACS has another origin. On a developer's machine it is the other name of
 * the loopback address, so that the browser isolates the two. Elsewhere it shares our origin, and the sandbox of its
 * frame isolates it.
 */
export function acsOrigin(publicUrl: string): string {
  const url = new URL(publicUrl);
  // Not the reverse: a server on `localhost` may listen on IPv6 alone.
  if (url.hostname === "127.0.0.1") url.hostname = "localhost";
  return url.origin;
}

/**
 * Returns the same path on the loopback listener of this process. A stored URL contains the port of the process that
 * stored it, which may have stopped since.
 */
export function onThisListener(storedUrl: string, serverUrl: string): string {
  return `${serverUrl}${new URL(storedUrl).pathname}`;
}
