import type { EventType } from "@florin/contract/event.ts";
import type {
  UpdateWebhookEndpoint,
  WebhookEndpoint as WebhookEndpointObject,
  WebhookEndpointStatus,
} from "@florin/contract/webhook-endpoint.ts";
import { unixSeconds } from "../primitives/clock.ts";
import { createdAt, type WebhookEndpointId } from "../primitives/ids.ts";
import { mergeMetadata } from "../primitives/metadata.ts";
import type { Moves } from "../primitives/moves.ts";
import type { Owner } from "../primitives/owner.ts";

/** Where a merchant wants its events sent (contract §5). */
export type WebhookEndpoint = {
  readonly owner: Owner;
  readonly id: WebhookEndpointId;
  readonly url: string;
  readonly enabledEvents: readonly (EventType | "*")[];
  readonly description: string | null;
  readonly status: WebhookEndpointStatus;
  readonly metadata: Readonly<Record<string, string>>;
  readonly secrets: SealedSecrets;
  /** Null while it works. */
  readonly failing: Failing | null;
  /** Grows with every change that somebody makes. */
  readonly version: number;
};

/** How an endpoint stands at which nothing arrives. */
export type Failing = {
  readonly since: Date;
  /** In a row. */
  readonly failures: number;
  /** Until when the breaker lets nothing through; null while there are too few failures for it. */
  readonly pausedUntil: Date | null;
};

/** Where an endpoint may go. */
export const endpointMoves: Moves<WebhookEndpointStatus> = {
  enabled: { disabled: "by hand, after five days of failure, or by 410" },
  disabled: { enabled: "by hand" },
};

/** The signing secret under the key provider's seal; a rolled one signs beside it until its hour. */
export type SealedSecrets = {
  readonly current: Buffer;
  readonly previous: { readonly sealed: Buffer; readonly expiresAt: Date } | null;
};

/** After so long with nothing but failure an endpoint is disabled (contract §6). */
export const disableAfterMs = 5 * 24 * 60 * 60 * 1000;

export function endpointObject(endpoint: WebhookEndpoint): WebhookEndpointObject {
  return {
    id: endpoint.id,
    object: "webhook_endpoint",
    livemode: endpoint.owner.livemode,
    created: unixSeconds(createdAt(endpoint.id)),
    url: endpoint.url,
    enabled_events: [...endpoint.enabledEvents],
    description: endpoint.description,
    status: endpoint.status,
    failing_since: endpoint.failing && unixSeconds(endpoint.failing.since),
    failures: endpoint.failing?.failures ?? 0,
    paused_until: endpoint.failing?.pausedUntil ? unixSeconds(endpoint.failing.pausedUntil) : null,
    version: endpoint.version,
    metadata: { ...endpoint.metadata },
  };
}

/** One that is switched on or off, or gets another url, starts with a clean slate. */
export function changeEndpoint(
  endpoint: WebhookEndpoint,
  change: Omit<UpdateWebhookEndpoint, "url">,
  newUrl: string | undefined,
): WebhookEndpoint {
  const url = newUrl ?? endpoint.url;
  const status = change.status ?? endpoint.status;
  return {
    ...endpoint,
    url,
    enabledEvents: change.enabled_events ?? endpoint.enabledEvents,
    description: change.description === undefined ? endpoint.description : change.description,
    status,
    failing: status === endpoint.status && url === endpoint.url ? endpoint.failing : null,
    metadata: mergeMetadata(endpoint.metadata, change.metadata),
    version: endpoint.version + 1,
  };
}

/** The new secret signs first; the old one beside it until `expiresAt`, or no more when there is no overlap. */
export function rollSecret(
  endpoint: WebhookEndpoint,
  sealed: Buffer,
  now: Date,
  overlapSeconds: number,
): WebhookEndpoint {
  const expiresAt = new Date(now.getTime() + overlapSeconds * 1000);
  const previous = overlapSeconds > 0 ? { sealed: endpoint.secrets.current, expiresAt } : null;
  const version = endpoint.version + 1;
  return { ...endpoint, secrets: { current: sealed, previous }, version };
}
