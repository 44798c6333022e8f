import { unixSeconds } from "../../core/clock.ts";
import type { WebhookEndpointId } from "../../core/ids.ts";
import { endpointDeleted, endpointDisabled } from "./attempt-failure.ts";
import type { AttemptWriter } from "./attempt-writer.ts";
import {
  type AttemptOutcome,
  afterAttempt,
  type ClaimedDelivery,
  isSuccess,
  releaseDelivery,
} from "./delivery.ts";
import type { DeliveryDeps, DeliverySettings } from "./delivery-deps.ts";
import type { ResolvedEndpoint } from "./endpoint-cache.ts";
import { trackHealth } from "./endpoint-health.ts";
import { post } from "./http-post.ts";
import { addressRules } from "./ip-address-rules.ts";
import { createOriginPools } from "./origin-pools.ts";
import type { PendingDelivery } from "./pending-delivery.ts";
import { signatureHeaders } from "./signature.ts";

/** Sends single attempts. A first delivery, a retry, a ping and a resend are all sent in the same way. */
export type Attempts = {
  /**
   * Sends the attempt. Returns true after a 2xx response, false after a failure, and null if no request was sent. Never
   * throws.
   */
  send(pending: PendingDelivery): Promise<boolean | null>;
  /** Resolves when all changes to endpoint health are written. */
  idle(): Promise<void>;
  close(): Promise<void>;
};

const userAgent = "Florin/1.0 (webhooks)";

export function createAttempts(
  deps: DeliveryDeps,
  settings: DeliverySettings,
  attemptWriter: AttemptWriter,
  on: { readonly onBackoff: (endpointId: WebhookEndpointId) => void },
): Attempts {
  const { clock, random } = deps;
  const pools = createOriginPools(deps.resolveName);
  const rulesFor = addressRules(deps.privateNetworks);
  const health = trackHealth(deps, (endpoint) => on.onBackoff(endpoint.id));

  async function send({
    delivery,
    endpoint: address,
    sendBefore,
  }: PendingDelivery): Promise<boolean | null> {
    // The delivery waited too long in its queue. If it were sent now, its lease could expire before the response
    // arrives, and another worker would send it again.
    if (performance.now() > sendBefore) {
      void attemptWriter.write(releaseDelivery(delivery));
      return null;
    }
    const began = clock.now();
    const startedAt = performance.now();
    const outcome = await attemptDelivery(delivery, address, began);
    const durationMs = performance.now() - startedAt;
    const times = { began, durationMs, now: clock.now() };
    const record = afterAttempt(delivery, outcome, times, random());
    void attemptWriter.write(record);
    if (record.entry) deps.onAttempt?.(record.entry, delivery);
    // When this promise resolves, the caller can send the endpoint's next delivery. The circuit breaker must be updated
    // before that. Otherwise the next delivery would be sent although the endpoint is failing.
    if (address && record.entry) {
      await health.note(address.endpoint, outcome, record.entry, times.now);
    }
    return isSuccess(outcome);
  }

  async function attemptDelivery(
    delivery: ClaimedDelivery,
    address: ResolvedEndpoint | null,
    now: Date,
  ): Promise<AttemptOutcome> {
    if (!address) return { kind: "failed", failure: endpointDeleted };
    if (address.endpoint.status === "disabled")
      return { kind: "failed", failure: endpointDisabled };
    const signed = signatureHeaders(address.keys, {
      id: delivery.eventId,
      body: delivery.body,
      timestamp: unixSeconds(now),
    });
    return post(pools.poolFor(address.url, rulesFor(delivery.scope)), {
      url: address.url,
      headers: { "content-type": "application/json", "user-agent": userAgent, ...signed },
      body: delivery.body,
      deadlineMs: settings.deadlineMs,
      clock,
    });
  }

  return { send, idle: health.idle, close: pools.close };
}
