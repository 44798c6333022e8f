import type { BrowserScreen, ChallengeForm, ChallengeStep } from "@florin/contract/challenge.ts";

/** Calls the service at paths below the document's own URL, with the secret from the fragment. */
export type Steps = {
  begin(): Promise<ChallengeStep | null>;
  look(): Promise<ChallengeStep | null>;
  authenticate(screen: BrowserScreen): Promise<ChallengeStep | null>;
  /** Returns the form for the issuer. Null when there is nothing to submit any more, or without a response. */
  challenge(windowSize: string): Promise<ChallengeForm | null>;
  cancel(): Promise<ChallengeStep | null>;
};

/** Longer than the service waits for the issuer (10 s) and the acquirer (20 s). */
const deadlineMs = 35_000;

export function createSteps(address: string, secret: string): Steps {
  async function send<Body>(verb: string, body?: object): Promise<Body | null> {
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
      // Offline, or an incomplete response. The caller reads the status again and continues from there.
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
