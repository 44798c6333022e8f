import type { AcquirerClient, SendResult } from "../acquirer-client.ts";
import type { AcquirerSecret } from "../connections/connection-secrets.ts";
import { formWithCard, type RequestCard } from "../fill-card.ts";
import type { HttpResponse, RetrySameRequest } from "../outcome.ts";
import { sendUntilProcessed } from "../send-until-processed.ts";
import { apiVersion, type StripeRequest } from "./requests.ts";

export type StripeAccess = {
  readonly client: AcquirerClient;
  readonly secretKey: AcquirerSecret;
  /** The connected account for which the request is executed. Null if it is executed for the key's own account. */
  readonly connectedAccount: string | null;
  /** The account that receives the money. */
  readonly account: string;
};

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
  { method, path, idempotencyKey, body, timeoutMs }: StripeRequest,
  card: RequestCard,
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
    ...(timeoutMs !== undefined && { timeoutMs }),
    onLateResponse,
  });
}

/** Sends a request, and repeats it if Stripe has not processed it (`sendUntilProcessed`). */
export function sendRequest<Outcome extends { readonly kind: string }>(
  access: StripeAccess,
  request: StripeRequest,
  card: RequestCard,
  read: (response: HttpResponse) => Outcome | RetrySameRequest,
  options: { readonly random: () => number; readonly onLate?: (outcome: Outcome) => void },
) {
  return sendUntilProcessed((onLate) => sendOnce(access, request, card, onLate), read, options);
}
