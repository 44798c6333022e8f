import { unixSeconds } from "../primitives/clock.ts";
import type { WebhookEndpointId } from "../primitives/ids.ts";
import type { Address } from "./address-book.ts";
import { addressRules } from "./address-rules.ts";
import { endpointDeleted, endpointDisabled } from "./attempt-failure.ts";
import {
  type AttemptOutcome,
  afterAttempt,
  type ClaimedDelivery,
  handBack,
  isSuccess,
} from "./delivery.ts";
import type { DeliveryDeps, DeliverySettings } from "./delivery-deps.ts";
import { trackHealth } from "./endpoint-health.ts";
import { openOriginPools } from "./origin-pools.ts";
import type { Parcel } from "./parcel.ts";
import { post } from "./post.ts";
import type { Recorder } from "./recorder.ts";
import { signatureHeaders } from "./signature.ts";

/** Makes single attempts, the same way for a first delivery, a retry, a ping and a resend. */
export type Attempts = {
  /** True when the endpoint took it, false when it did not, null when it was not asked. Never throws. */
  send(parcel: Parcel): Promise<boolean | null>;
  /** Resolves when what was learnt of endpoints is written. */
  settled(): Promise<void>;
  close(): Promise<void>;
};

const userAgent = "Florin/1.0 (webhooks)";

export function openAttempts(
  deps: DeliveryDeps,
  settings: DeliverySettings,
  recorder: Recorder,
  on: { readonly onPause: (endpointId: WebhookEndpointId) => void },
): Attempts {
  const { clock, chance } = deps;
  const pools = openOriginPools(deps.resolveName);
  const rulesFor = addressRules(deps.privateNetworks);
  const health = trackHealth(deps, (endpoint) => on.onPause(endpoint.id));

  async function send({ delivery, address, sendBefore }: Parcel): Promise<boolean | null> {
    // It waited too long behind others: another worker may have it by the time the answer comes.
    if (performance.now() > sendBefore) {
      void recorder.keep(handBack(delivery));
      return null;
    }
    const began = clock.now();
    const startedAt = performance.now();
    const outcome = await ask(delivery, address, began);
    const durationMs = performance.now() - startedAt;
    const times = { began, durationMs, now: clock.now() };
    const record = afterAttempt(delivery, outcome, times, chance());
    void recorder.keep(record);
    if (record.entry) deps.onAttempt?.(record.entry);
    // The place in the lane is free only when the breaker knows: another must not slip through before.
    if (address) await health.note(address.endpoint, outcome, times.now);
    return isSuccess(outcome);
  }

  async function ask(
    delivery: ClaimedDelivery,
    address: Address | null,
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
    return post(pools.poolFor(address.url, rulesFor(delivery.owner)), {
      url: address.url,
      headers: { "content-type": "application/json", "user-agent": userAgent, ...signed },
      body: delivery.body,
      deadlineMs: settings.deadlineMs,
      clock,
    });
  }

  return { send, settled: health.settled, close: pools.close };
}
