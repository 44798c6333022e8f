import type { Database } from "../database/database.ts";
import type { ApiRequest } from "../http/route.ts";
import type { IdempotencyKeys } from "../idempotency/idempotency.ts";
import { noSuch } from "../primitives/api-error.ts";
import type { Clock } from "../primitives/clock.ts";
import { parseId, type WebhookEndpointId } from "../primitives/ids.ts";
import type { KeyProvider } from "../vault/key-provider.ts";

/** What the routes of endpoints and of deliveries need of the world. */
export type WebhookRouteDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly keys: KeyProvider;
  /** In test mode, the networks an endpoint may be in beside the public internet (contract §6). */
  readonly privateNetworks: readonly string[];
  /** Called when deliveries were written and the commit is done. */
  readonly wakeDeliveries: () => void;
};

export const endpointsPath = "/webhook_endpoints";

/** What is no id at all names nothing, in the same words as an id that names nothing. */
export function endpointIdIn({ params }: ApiRequest): WebhookEndpointId {
  const id = parseId("we", params.id ?? "");
  if (!id) throw noSuch("webhook endpoint", params.id ?? "");
  return id;
}
