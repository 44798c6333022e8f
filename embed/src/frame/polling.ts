import type { Screen } from "./screen.ts";

/** The delays between status reads: short at first, because most issuers respond within two seconds. */
const processingDelaysMs = [1000, 1000, 2000, 3000, 5000];

/** The delay during a challenge, while the customer reads a text message and types a code. */
const challengeDelayMs = 2000;

/** The delay between retries without a connection. A shorter delay would only cause more failing requests. */
export const reconnectDelayMs = 4000;

/**
 * Returns the delay before the next session read. Null if the state can change only after an action of the customer.
 */
export function pollDelayMs(screen: Screen, readsSoFar: number, msToExpiry: number): number | null {
  switch (screen.name) {
    case "processing":
      return processingDelaysMs[Math.min(readsSoFar, processingDelaysMs.length - 1)] as number;
    case "preparing":
    case "requires_action":
      return challengeDelayMs;
    case "form":
      // Reads the session at the expiry time, and then every second until the server reports it as expired. Browser
      // timers are limited to about 24 days.
      return Math.min(Math.max(1000, msToExpiry), 2_000_000_000);
    default:
      return null;
  }
}
