import type { AcquirerClient, SendResult } from "../acquirer-client.ts";
import type { AcquirerSecret } from "../connections/connection-secrets.ts";
import { type RequestCard, serializeWithCard } from "../fill-card.ts";
import type { HttpResponse, RetrySameRequest } from "../outcome.ts";
import { sendUntilProcessed } from "../send-until-processed.ts";
import type { CheckoutComRequest } from "./requests.ts";

export type CheckoutComAccess = {
  readonly client: AcquirerClient;
  readonly secretKey: AcquirerSecret;
};

export function authorization({ secretKey }: Pick<CheckoutComAccess, "secretKey">) {
  return { authorization: `Bearer ${secretKey.reveal()}` };
}

export function sendOnce(
  access: CheckoutComAccess,
  { method, path, idempotencyKey, body, timeoutMs }: CheckoutComRequest,
  card: RequestCard,
  onLateResponse: (response: HttpResponse) => void = () => {},
): Promise<SendResult> {
  return access.client.send({
    method,
    path,
    headers: {
      ...authorization(access),
      ...(body !== null && { "content-type": "application/json" }),
      ...(idempotencyKey !== null && { "cko-idempotency-key": idempotencyKey }),
    },
    body: body && serializeWithCard(body, card),
    ...(timeoutMs !== undefined && { timeoutMs }),
    onLateResponse,
  });
}

/** Sends a request, and repeats it if Checkout.com has not processed it (`sendUntilProcessed`). */
export function sendRequest<Outcome extends { readonly kind: string }>(
  access: CheckoutComAccess,
  request: CheckoutComRequest,
  card: RequestCard,
  read: (response: HttpResponse) => Outcome | RetrySameRequest,
  options: { readonly random: () => number; readonly onLate?: (outcome: Outcome) => void },
) {
  return sendUntilProcessed((onLate) => sendOnce(access, request, card, onLate), read, options);
}
