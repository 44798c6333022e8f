import type { BrowserScreen, ChallengeForm, ChallengeStep } from "@florin/contract/challenge.ts";

/** The service, below this document's own address, with the secret from the address's fragment. */
export type Steps = {
  begin(): Promise<ChallengeStep | null>;
  look(): Promise<ChallengeStep | null>;
  authenticate(screen: BrowserScreen): Promise<ChallengeStep | null>;
  /** What to post to the bank; null when there is nothing to post any more, or nobody answered. */
  challenge(windowSize: string): Promise<ChallengeForm | null>;
  cancel(): Promise<ChallengeStep | null>;
};

/** Longer than the service waits for the bank (10 s) and the acquirer (20 s). */
const deadlineMs = 35_000;

export function openSteps(address: string, secret: string): Steps {
  async function send<Answer>(verb: string, body?: object): Promise<Answer | null> {
    try {
      const response = await fetch(`${address}/${verb}`, {
        method: body ? "POST" : "GET",
        headers: {
          Authorization: `Bearer ${secret}`,
          ...(body && { "Content-Type": "application/json" }),
        },
        ...(body && { body: JSON.stringify(body) }),
        credentials: "omit",
        cache: "no-store",
        signal: AbortSignal.timeout(deadlineMs),
      });
      return response.ok ? await response.json() : null;
    } catch {
      // Offline, or half an answer: whoever asked looks again, and goes on from where it stands.
      return null;
    }
  }

  return {
    begin: () => send("begin", {}),
    look: () => send("step"),
    authenticate: (screen) => send("authenticate", screen),
    challenge: (windowSize) => send("challenge", { window_size: windowSize }),
    cancel: () => send("cancel", {}),
  };
}
