import { setTimeout as sleep } from "node:timers/promises";
import type { SendResult } from "./acquirer-client.ts";
import type { HttpResponse, Rejected, RetrySameRequest, UnknownOutcome } from "./outcome.ts";

/** Sends one copy of a request. The callback receives a response that arrives after the timeout. */
export type SendCopy = (onLateResponse: (response: HttpResponse) => void) => Promise<SendResult>;

/** The maximum number of attempts for a request that the acquirer has not processed. */
const maxAttempts = 3;
/** The longest wait between two attempts. */
const maxRetryDelayMs = 1_000;

/**
 * Sends a request. Repeats it with the same bytes and the same key if the acquirer has not processed it, or is still
 * processing the first copy. While the acquirer may still be processing a copy, the rejection of a later copy does not
 * mean that no money moved. The outcome is then unknown.
 */
export async function sendUntilProcessed<Outcome extends { readonly kind: string }>(
  send: SendCopy,
  read: (response: HttpResponse) => Outcome | RetrySameRequest,
  {
    random,
    onLate,
  }: { readonly random: () => number; readonly onLate?: (outcome: Outcome) => void },
): Promise<Outcome | Rejected | UnknownOutcome | { readonly kind: "not_sent" }> {
  let inProgress: UnknownOutcome | null = null;
  for (let attempt = 1; ; attempt++) {
    const result = await send((response) => {
      const outcome = read(response);
      if (!isRetry(outcome)) onLate?.(outcome);
    });
    if (result.kind === "not_sent") return inProgress ?? { kind: "not_sent" };
    if (result.kind === "unknown") return result;
    const outcome = read(result.response);
    if (!isRetry(outcome)) return (outcome.kind === "rejected" && inProgress) || outcome;
    if (outcome.otherwise.kind === "unknown") inProgress = outcome.otherwise;
    if (attempt === maxAttempts) return inProgress ?? outcome.otherwise;
    await sleep(random() * maxRetryDelayMs);
  }
}

function isRetry<Outcome>(outcome: Outcome | RetrySameRequest): outcome is RetrySameRequest {
  return (outcome as RetrySameRequest).kind === "retry_same_request";
}
