import { setTimeout as sleep } from "node:timers/promises";
import type { CardCredentials } from "../../vault/card-number.ts";
import type { AcquirerClient, SendResult } from "../acquirer-client.ts";
import type { AcquirerSecret } from "../connections/connection-secrets.ts";
import { formWithCard } from "../fill-card.ts";
import type { HttpResponse, Rejected, RetrySameRequest, UnknownOutcome } from "../outcome.ts";
import { apiVersion, type StripeRequest } from "./requests.ts";

export type StripeAccess = {
  readonly client: AcquirerClient;
  readonly secretKey: AcquirerSecret;
  /** The connected account for which the key's platform acts. Null for the account of the key. */
  readonly connectedAccount: string | null;
  /** The account that receives the money. */
  readonly account: string;
};

/**
 * The maximum number of attempts for a request that Stripe has not processed, and the longest wait between two
 * attempts.
 */
const maxAttempts = 3;
const maxRetryDelayMs = 1_000;

/** Returns the headers of a request. They pin the API version, so that the account's default version has no effect. */
export function headersOf({ secretKey, connectedAccount }: StripeAccess): Record<string, string> {
  return {
    authorization: `Bearer ${secretKey.reveal()}`,
    "stripe-version": apiVersion,
    ...(connectedAccount === null ? {} : { "stripe-account": connectedAccount }),
  };
}

export function sendOnce(
  access: StripeAccess,
  { method, path, idempotencyKey, body }: StripeRequest,
  card: CardCredentials | null,
  onLateResponse: (response: HttpResponse) => void = () => {},
): Promise<SendResult> {
  return access.client.send({
    method,
    path,
    headers: {
      ...headersOf(access),
      ...(body !== null && { "content-type": "application/x-www-form-urlencoded" }),
      ...(idempotencyKey !== null && { "idempotency-key": idempotencyKey }),
    },
    body: body && formWithCard(body, card),
    onLateResponse,
  });
}

/**
 * Sends a request. Repeats it with the same bytes and the same key if Stripe has not processed it, or is still
 * processing the first copy. While Stripe may still be processing a copy, the rejection of a later copy does not mean
 * that no money moved. The outcome is then unknown.
 */
export async function sendRequest<Outcome extends { readonly kind: string }>(
  access: StripeAccess,
  request: StripeRequest,
  card: CardCredentials | null,
  read: (response: HttpResponse) => Outcome | RetrySameRequest,
  {
    random,
    onLate,
  }: { readonly random: () => number; readonly onLate?: (outcome: Outcome) => void },
): Promise<Outcome | Rejected | UnknownOutcome | { readonly kind: "not_sent" }> {
  let inProgress: UnknownOutcome | null = null;
  for (let attempt = 1; ; attempt++) {
    const result = await sendOnce(access, request, card, (response) => {
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
