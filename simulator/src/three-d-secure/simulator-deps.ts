import type { Clock } from "@florin/server/core/clock.ts";
import type { Database } from "@florin/server/platform/database/database.ts";

/** The dependencies of the simulated directory server and ACS, which call the service and each other over HTTP. */
export type ThreeDSecureSimulatorDeps = {
  readonly database: Database;
  readonly clock: Clock;
  /** The origin of the loopback listener, on which the directory server and the ACS receive messages. */
  readonly serverUrl: () => string;
  /** Reports whether the URL, including its secret, is the service's callback URL for this purpose and transaction. */
  readonly isCallbackUrl: IsCallbackUrl;
  /** The service's origin for browsers. */
  readonly publicUrl: () => string;
  readonly timing: IssuerTiming;
};

/** The check of callback URLs, implemented by `payments/three-d-secure/callback-urls.ts`. */
export type IsCallbackUrl = (
  purpose: "method" | "notification" | "results",
  url: string,
  transactionId: string,
) => boolean;

export type IssuerTiming = {
  /** The maximum time from the ARes to the CReq. 30 s in EMV 3DS. */
  readonly creqWithinMs: number;
  /** The maximum time for the cardholder's input. 10 minutes in EMV 3DS. */
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
 * Returns the origin of the ACS pages. A real ACS has a different origin from the service. If the service's host
 * is 127.0.0.1, uses `localhost`, so that the browser isolates the two origins. Otherwise uses the service's origin,
 * and only the sandbox of the frame isolates the pages.
 */
export function acsOrigin(publicUrl: string): string {
  const url = new URL(publicUrl);
  // Does not replace `localhost` with 127.0.0.1, because a server on `localhost` may listen only on IPv6.
  if (url.hostname === "127.0.0.1") url.hostname = "localhost";
  return url.origin;
}

/**
 * Returns the same path on the loopback listener of this process. A stored URL contains the port of the process that
 * stored it, which may have exited.
 */
export function onThisListener(storedUrl: string, serverUrl: string): string {
  return `${serverUrl}${new URL(storedUrl).pathname}`;
}
