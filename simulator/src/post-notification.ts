import type {
  ChargeNotification,
  DisputeNotification,
  OperationNotification,
} from "@florin/server/acquiring/processor.ts";

export type Notification =
  | { readonly type: "charge"; readonly notice: ChargeNotification }
  | { readonly type: "operation"; readonly notice: OperationNotification }
  | { readonly type: "dispute"; readonly notice: DisputeNotification };

/** The time that the service has to confirm a notification. */
const confirmWithinMs = 10_000;

/** Posts a notification to the service, as acquirers do. Throws unless the service confirms it with a 2xx response. */
export async function postNotification(url: string, notification: Notification): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(notification),
    signal: AbortSignal.timeout(confirmWithinMs),
  });
  await response.body?.cancel();
  if (!response.ok)
    throw new Error(`The service responded to a notification with ${response.status}`);
}
