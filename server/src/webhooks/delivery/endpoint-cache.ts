import type { AccountId, WebhookEndpointId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { cacheUntilChanged } from "../../platform/changes/cache-until-changed.ts";
import type { ClaimedDelivery } from "./delivery.ts";
import type { DeliveryDeps } from "./delivery-deps.ts";
import { readEndpointsInUse } from "./endpoint.sql.ts";
import type { WebhookEndpoint } from "./endpoint.ts";
import type { SigningKey } from "./signature.ts";
import { createSigningKeyCache } from "./signing-keys.ts";

/** An endpoint with its parsed URL and its signing keys. */
export type ResolvedEndpoint = {
  readonly endpoint: WebhookEndpoint;
  readonly url: URL;
  readonly keys: readonly SigningKey[];
};

type EndpointOf = Pick<ClaimedDelivery, "scope" | "endpointId">;

export type EndpointCache = {
  /** Reads the endpoints of a batch once and decrypts their secrets. A deleted endpoint is missing from the map. */
  read(deliveries: readonly EndpointOf[], now: Date): Promise<Map<string, ResolvedEndpoint>>;
  /** Returns one endpoint from a cache, or null when it was deleted. */
  find(scope: Scope, endpointId: WebhookEndpointId): Promise<ResolvedEndpoint | null>;
};

export function createEndpointCache({
  database,
  changes,
  keys,
  clock,
}: Pick<DeliveryDeps, "database" | "changes" | "keys" | "clock">): EndpointCache {
  const signingKeys = createSigningKeyCache(keys);

  async function read(
    deliveries: readonly EndpointOf[],
    now: Date,
  ): Promise<Map<string, ResolvedEndpoint>> {
    const requested = new Map(deliveries.map((delivery) => [delivery.endpointId, delivery]));
    const inUse = await readEndpointsInUse(database.read, [...requested.values()]);
    const addresses = await Promise.all(
      inUse.map(async (endpoint): Promise<[string, ResolvedEndpoint]> => {
        const signing = await signingKeys(endpoint, now);
        return [endpoint.id, { endpoint, url: new URL(endpoint.url), keys: signing }];
      }),
    );
    return new Map(addresses);
  }

  const cache = cacheUntilChanged<ResolvedEndpoint>(changes, {
    async read(key) {
      const [account, mode, endpointId] = key.split(" ") as [AccountId, string, WebhookEndpointId];
      const scope = { account, livemode: mode === "live" };
      return (await read([{ scope, endpointId }], clock.now())).get(endpointId) ?? null;
    },
    accountOf: ({ endpoint }) => endpoint.scope.account,
  });

  return {
    read,
    async find({ account, livemode }, endpointId) {
      const found = await cache.get(`${account} ${livemode ? "live" : "test"} ${endpointId}`);
      const previous = found?.endpoint.secrets.previous;
      if (!found || !previous) return found;
      // The previous secret expires without a change of the endpoint.
      return { ...found, keys: await signingKeys(found.endpoint, clock.now()) };
    },
  };
}
