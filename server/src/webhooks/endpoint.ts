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
  /** Grows with every change. */
  readonly version: number;
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
    version: endpoint.version,
    metadata: { ...endpoint.metadata },
  };
}

export function changeEndpoint(
  endpoint: WebhookEndpoint,
  change: Omit<UpdateWebhookEndpoint, "url">,
  url: string | undefined,
): WebhookEndpoint {
  return {
    ...endpoint,
    url: url ?? endpoint.url,
    enabledEvents: change.enabled_events ?? endpoint.enabledEvents,
    description: change.description === undefined ? endpoint.description : change.description,
    status: change.status ?? endpoint.status,
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
