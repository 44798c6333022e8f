import type { Screen } from "./screen.ts";

/** Short at first, because most issuers respond within a second or two, then longer. */
const processingDelaysMs = [1000, 1000, 2000, 3000, 5000];

/** The interval during a challenge, while the customer reads a text message and types a code. */
const challengeDelayMs = 2000;

/** The retry interval without a connection: short enough to notice the recovery, long enough not to delay it. */
export const reconnectDelayMs = 4000;

/** Returns the delay before the next session read, or null when the state cannot change without the customer. */
export function pollDelayMs(screen: Screen, readsSoFar: number, msToExpiry: number): number | null {
  switch (screen.name) {
    case "processing":
      return processingDelaysMs[Math.min(readsSoFar, processingDelaysMs.length - 1)] as number;
    case "preparing":
    case "requires_action":
      return challengeDelayMs;
    case "form":
      // At the expiry and every second after it until the server agrees. A browser timer is limited to about 24
      // days.
      return Math.min(Math.max(1000, msToExpiry), 2_000_000_000);
    default:
      return null;
  }
}
