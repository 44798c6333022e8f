import { noSuch } from "../../core/api-error.ts";
import type { Clock } from "../../core/clock.ts";
import { parseId, type WebhookEndpointId } from "../../core/ids.ts";
import type { Database } from "../../platform/database/database.ts";
import type { ApiRequest } from "../../platform/http/route.ts";
import type { IdempotencyKeys } from "../../platform/idempotency/idempotency.ts";
import type { KeyProvider } from "../../vault/key-provider.ts";

/** The dependencies of the endpoint and delivery routes. */
export type WebhookRouteDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly keys: KeyProvider;
  /** The private networks that endpoints in test mode may be in, in addition to the public internet. */
  readonly privateNetworks: readonly string[];
  /** Called after the commit of a transaction that inserted deliveries. */
  readonly wakeDeliveries: () => void;
};

export const endpointsPath = "/webhook_endpoints";

/** Returns the endpoint ID in the path. Rejects a malformed ID with the same error as an ID that does not exist. */
export function endpointIdIn({ params }: ApiRequest): WebhookEndpointId {
  const id = parseId("we", params.id ?? "");
  if (!id) throw noSuch("webhook endpoint", params.id ?? "");
  return id;
}
