import type { Database } from "../../../database/database.ts";
import type { Clock } from "../../../primitives/clock.ts";

/** What the simulated directory server and bank need of the world. They are outside: they meet the service over HTTP only. */
export type SimulatedWorld = {
  readonly database: Database;
  readonly clock: Clock;
  /** As servers reach this one, and each other. */
  readonly serverUrl: () => string;
  /** As browsers reach the service. */
  readonly publicUrl: () => string;
  readonly timing: BankTiming;
};

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

/** Both sides of a conversation between servers; null when it could not be had. */
export async function exchange(
  url: string,
  body: string,
  withinMs: number,
): Promise<string | null> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json; charset=utf-8" },
      body,
      redirect: "error",
      signal: AbortSignal.timeout(withinMs),
    });
    const text = await response.text();
    return response.ok ? text : null;
  } catch {
    return null;
  }
}
