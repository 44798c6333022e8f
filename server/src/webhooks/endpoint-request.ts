import type { Database } from "../database/database.ts";
import type { ApiRequest } from "../http/route.ts";
import type { IdempotencyKeys } from "../idempotency/idempotency.ts";
import { noSuch } from "../primitives/api-error.ts";
import type { Clock } from "../primitives/clock.ts";
import { parseId, type WebhookEndpointId } from "../primitives/ids.ts";
import type { KeyProvider } from "../vault/key-provider.ts";

/** The dependencies of the endpoint and delivery routes. */
export type WebhookRouteDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly keys: KeyProvider;
  /** The networks in test mode that endpoints may be in, in addition to the public internet. */
  readonly privateNetworks: readonly string[];
  /** Called after the commit of a transaction that inserted deliveries. */
  readonly wakeDeliveries: () => void;
};

export const endpointsPath = "/webhook_endpoints";

/** Rejects a malformed id with the same error as an id that does not exist. */
export function endpointIdIn({ params }: ApiRequest): WebhookEndpointId {
  const id = parseId("we", params.id ?? "");
  if (!id) throw noSuch("webhook endpoint", params.id ?? "");
  return id;
}
