import type { BrowserScreen, ChallengeForm, ChallengeStep } from "@florin/contract/challenge.ts";

/** Calls the challenge API at paths below the URL of the challenge document, with the secret from the URL fragment. */
export type ChallengeApi = {
  begin(): Promise<ChallengeStep | null>;
  readStatus(): Promise<ChallengeStep | null>;
  authenticate(screen: BrowserScreen): Promise<ChallengeStep | null>;
  /**
   * Returns the form to submit to the issuer. Returns null if there is nothing left to submit, or if no response
   * arrived.
   */
  challenge(windowSize: string): Promise<ChallengeForm | null>;
  cancel(): Promise<ChallengeStep | null>;
};

/**
 * The deadline of a request, longer than the service's timeouts for the issuer (10 s) and the acquirer (20 s) together.
 */
const deadlineMs = 35_000;

export function createChallengeApi(address: string, secret: string): ChallengeApi {
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
      // The browser is offline, or the response was truncated. The caller reads the status again.
      return null;
    }
  }

  return {
    begin: () => send("begin", {}),
    readStatus: () => send("step"),
    authenticate: (screen) => send("authenticate", screen),
    challenge: (windowSize) => send("challenge", { window_size: windowSize }),
    cancel: () => send("cancel", {}),
  };
}
