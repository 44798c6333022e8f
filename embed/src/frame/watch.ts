import type { Screen } from "./screen.ts";

/** Quick at first, because most banks answer within a second or two; then patient. */
const processingDelaysMs = [1000, 1000, 2000, 3000, 5000];

/** A person is reading a text message and typing a code. */
const challengeDelayMs = 2000;

/** The connection or the service is gone: often enough that the customer sees it come back, seldom enough to let it. */
export const silenceDelayMs = 4000;

/** How long to wait before the session is read again; null when nothing will change by itself. */
export function nextReadAfterMs(
  screen: Screen,
  readsSoFar: number,
  msToExpiry: number,
): number | null {
  switch (screen.name) {
    case "processing":
      return processingDelaysMs[Math.min(readsSoFar, processingDelaysMs.length - 1)] as number;
    case "preparing":
    case "requires_action":
      return challengeDelayMs;
    case "form":
      // At the hour itself, and every second after it until the server agrees. A timer holds 24 days at most.
      return Math.min(Math.max(1000, msToExpiry), 2_000_000_000);
    default:
      return null;
  }
}
