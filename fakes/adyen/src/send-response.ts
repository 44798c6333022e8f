import type { ServerResponse } from "node:http";
import { preventsExecution } from "@florin/shared-fake/injected-faults.ts";
import { type FakeResponse, writeResponse } from "@florin/shared-fake/write-response.ts";
import type { PendingFault } from "./faults.ts";
import type { IdempotencyKeys } from "./idempotency.ts";
import type { NotificationDelivery } from "./notification-delivery.ts";
import type { Platform } from "./platform.ts";
import type { Reply } from "./reply.ts";
import { ServiceError } from "./service-error.ts";

export type Api = {
  readonly platform: Platform;
  readonly delivery: NotificationDelivery;
  readonly keys: IdempotencyKeys;
};

/** A response that is ready to be sent. */
export type Prepared = FakeResponse & {
  /**
   * The endpoint's response with the work that follows it. Null if the request was rejected or repeated an earlier one.
   */
  readonly reply: Reply | null;
  /** Called when the response was sent, or cut off. */
  readonly afterResponse: () => void;
};

/** Returns a response that requires no work after it has been sent. */
export function withoutReply(status: number, body: string): Prepared {
  return { status, body, headers: {}, reply: null, afterResponse: () => {} };
}

export function errorResponse(error: ServiceError): Prepared {
  return withoutReply(error.status, JSON.stringify(error.body));
}

/** Returns the response of a fault that prevents the processing, or null. */
export function responseWithoutProcessing(fault: PendingFault): Prepared | null {
  switch (fault.fault) {
    case "too_many_requests":
      return errorResponse(new ServiceError(429, "000", "Too many requests", "internal"));
    case "transient_error": {
      const message = "Required resource temporarily unavailable";
      const error = errorResponse(new ServiceError(503, "703", message, "internal"));
      return { ...error, headers: { "transient-error": "true" } };
    }
    default:
      return preventsExecution(fault) ? withoutReply(500, "") : null;
  }
}

/** Completes the request, and waits until one delivery of each of its notifications has been attempted. */
export async function notifyEarly(api: Api, reply: Reply): Promise<void> {
  const notifications = reply.complete();
  api.platform.state.commit();
  await Promise.all(notifications.map((id) => api.delivery.send(id)));
}

/** Sends the response after the configured delay, with the effect of the fault, and completes the request. */
export function send(
  api: Api,
  response: ServerResponse,
  prepared: Prepared,
  fault: PendingFault | null,
): void {
  const delayMs = api.platform.settings.responseDelayMs + (fault?.delayMs ?? 0);
  const sendNow = () => {
    const headers = { "content-type": "application/json;charset=UTF-8", ...prepared.headers };
    writeResponse(response, { ...prepared, headers }, fault);
    prepared.afterResponse();
    if (prepared.reply && !prepared.reply.notifiesEarly) completeLater(api, prepared.reply);
  };
  if (delayMs === 0) sendNow();
  else setTimeout(sendNow, delayMs);
}

function completeLater(api: Api, reply: Reply): void {
  const { clock, state } = api.platform;
  const complete = () => {
    const notifications = reply.complete();
    state.commit();
    api.delivery.dispatch(notifications);
  };
  if (reply.afterMs === 0) setImmediate(complete);
  else clock.schedule(clock.nowMs() + reply.afterMs, complete);
}
