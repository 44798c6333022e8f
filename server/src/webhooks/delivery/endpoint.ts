import type { EventType } from "@florin/contract/event.ts";
import type {
  UpdateWebhookEndpoint,
  WebhookEndpoint as WebhookEndpointObject,
  WebhookEndpointStatus,
} from "@florin/contract/webhook-endpoint.ts";
import { unixSeconds } from "../../core/clock.ts";
import { createdAt, type WebhookEndpointId } from "../../core/ids.ts";
import { mergeMetadata } from "../../core/metadata.ts";
import type { Scope } from "../../core/scope.ts";
import type { Transitions } from "../../core/transitions.ts";
import { dayMs } from "../../core/utc-day.ts";
import type { LogEntry } from "./delivery.ts";

/** A merchant's URL that receives events, with its settings. */
export type WebhookEndpoint = {
  readonly scope: Scope;
  readonly id: WebhookEndpointId;
  readonly url: string;
  readonly enabledEvents: readonly (EventType | "*")[];
  readonly description: string | null;
  readonly status: WebhookEndpointStatus;
  readonly metadata: Readonly<Record<string, string>>;
  readonly secrets: EncryptedSecrets;
  /** The current failures, or null after a success. */
  readonly failing: Failing | null;
  /** The last failed attempt, which also explains why Florin disabled the endpoint. Null after a success. */
  readonly lastFailure: LogEntry | null;
  /** Incremented by each change of the settings, the status or the secret. */
  readonly version: number;
};

/** The failures of an endpoint since its last success. */
export type Failing = {
  readonly since: Date;
  /** Consecutive failures. */
  readonly failures: number;
  /** The end of the circuit breaker's backoff, or null when there are too few failures to open it. */
  readonly backoffUntil: Date | null;
};

/** The transitions of an endpoint. */
export const endpointTransitions: Transitions<WebhookEndpointStatus> = {
  enabled: { disabled: "by the merchant, after five days of failures, or by a 410 response" },
  disabled: { enabled: "by the merchant" },
};

/** The encrypted signing secret. After a roll, the previous secret also signs until it expires. */
export type EncryptedSecrets = {
  readonly current: Buffer;
  readonly previous: { readonly ciphertext: Buffer; readonly expiresAt: Date } | null;
};

/** An endpoint is disabled after this many days without a success, if attempts failed on at least as many UTC days. */
export const disableAfterDays = 5;
export const disableAfterMs = disableAfterDays * dayMs;

export function endpointObject(endpoint: WebhookEndpoint): WebhookEndpointObject {
  return {
    id: endpoint.id,
    object: "webhook_endpoint",
    livemode: endpoint.scope.livemode,
    created: unixSeconds(createdAt(endpoint.id)),
    url: endpoint.url,
    enabled_events: [...endpoint.enabledEvents],
    description: endpoint.description,
    status: endpoint.status,
    failing_since: endpoint.failing && unixSeconds(endpoint.failing.since),
    failures: endpoint.failing?.failures ?? 0,
    backoff_until: endpoint.failing?.backoffUntil
      ? unixSeconds(endpoint.failing.backoffUntil)
      : null,
    last_failure: endpoint.lastFailure,
    version: endpoint.version,
    metadata: { ...endpoint.metadata },
  };
}

/** Applies a change. Enabling or disabling the endpoint, or a new url, resets its failures. */
export function changeEndpoint(
  endpoint: WebhookEndpoint,
  change: Omit<UpdateWebhookEndpoint, "url">,
  newUrl: string | undefined,
): WebhookEndpoint {
  const url = newUrl ?? endpoint.url;
  const status = change.status ?? endpoint.status;
  const same = status === endpoint.status && url === endpoint.url;
  return {
    ...endpoint,
    url,
    enabledEvents: change.enabled_events ?? endpoint.enabledEvents,
    description: change.description === undefined ? endpoint.description : change.description,
    status,
    failing: same ? endpoint.failing : null,
    lastFailure: same ? endpoint.lastFailure : null,
    metadata: mergeMetadata(endpoint.metadata, change.metadata),
    version: endpoint.version + 1,
  };
}

/**
 * Replaces the secret. Until `expiresAt`, each event has a signature with the new secret, followed by one with the old
 * secret. Without an overlap, only the new secret signs.
 */
export function rollSecret(
  endpoint: WebhookEndpoint,
  ciphertext: Buffer,
  now: Date,
  overlapSeconds: number,
): WebhookEndpoint {
  const expiresAt = new Date(now.getTime() + overlapSeconds * 1000);
  const previous = overlapSeconds > 0 ? { ciphertext: endpoint.secrets.current, expiresAt } : null;
  const version = endpoint.version + 1;
  return { ...endpoint, secrets: { current: ciphertext, previous }, version };
}
