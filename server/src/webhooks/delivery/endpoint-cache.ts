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

/**
 * An endpoint whose signing secret could not be decrypted, for example because the key provider is unavailable. Its
 * deliveries must be released.
 */
export const undecryptable = "undecryptable";

type EndpointOf = Pick<ClaimedDelivery, "scope" | "endpointId">;

export type EndpointCache = {
  /** Reads the endpoints of a batch once and decrypts their secrets. A deleted endpoint is missing from the map. */
  read(
    deliveries: readonly EndpointOf[],
    now: Date,
  ): Promise<Map<string, ResolvedEndpoint | typeof undecryptable>>;
  /** Returns one endpoint from a cache, or null when it was deleted. */
  find(
    scope: Scope,
    endpointId: WebhookEndpointId,
  ): Promise<ResolvedEndpoint | typeof undecryptable | null>;
  /** Returns the endpoints whose secrets could not be decrypted in the last 30 seconds. Claim no deliveries for them. */
  paused(): readonly string[];
};

/**
 * The time until the next attempt to decrypt a secret. Without it, each claim of the endpoint's deliveries would call
 * the key provider and log an error.
 */
const pauseMs = 30_000;

class UndecryptableSecret extends Error {}

export function createEndpointCache({
  database,
  changes,
  keys,
  clock,
  log,
}: Pick<DeliveryDeps, "database" | "changes" | "keys" | "clock" | "log">): EndpointCache {
  const signingKeys = createSigningKeyCache(keys);
  /** The end of each pause, in milliseconds since 1970. */
  const pauses = new Map<string, number>();

  function isPaused(endpoint: string): boolean {
    const until = pauses.get(endpoint);
    if (until === undefined) return false;
    if (until > clock.now().getTime()) return true;
    pauses.delete(endpoint);
    return false;
  }

  /** Decrypts the secrets. A failure concerns only this endpoint, and never the other endpoints of a batch. */
  async function resolve(
    endpoint: WebhookEndpoint,
    now: Date,
  ): Promise<ResolvedEndpoint | typeof undecryptable> {
    if (isPaused(endpoint.id)) return undecryptable;
    try {
      const signing = await signingKeys(endpoint, now);
      return { endpoint, url: new URL(endpoint.url), keys: signing };
    } catch (error) {
      pauses.set(endpoint.id, now.getTime() + pauseMs);
      log.workFailed("webhook signing secret", error);
      return undecryptable;
    }
  }

  async function read(
    deliveries: readonly EndpointOf[],
    now: Date,
  ): Promise<Map<string, ResolvedEndpoint | typeof undecryptable>> {
    const requested = new Map(deliveries.map((delivery) => [delivery.endpointId, delivery]));
    const inUse = await readEndpointsInUse(database.read, [...requested.values()]);
    const addresses = await Promise.all(
      inUse.map(async (endpoint) => [endpoint.id, await resolve(endpoint, now)] as const),
    );
    return new Map(addresses);
  }

  const cache = cacheUntilChanged<ResolvedEndpoint>(changes, {
    async read(key) {
      const [account, mode, endpointId] = key.split(" ") as [AccountId, string, WebhookEndpointId];
      const scope = { account, livemode: mode === "live" };
      const found = (await read([{ scope, endpointId }], clock.now())).get(endpointId) ?? null;
      // Throws instead of returning `undecryptable`, because the cache would store that value like every value that is
      // not null.
      if (found === undecryptable) throw new UndecryptableSecret();
      return found;
    },
    accountOf: ({ endpoint }) => endpoint.scope.account,
  });

  return {
    read,
    async find({ account, livemode }, endpointId) {
      const key = `${account} ${livemode ? "live" : "test"} ${endpointId}`;
      const found = await cache.get(key).catch((error: unknown): typeof undecryptable => {
        if (error instanceof UndecryptableSecret) return undecryptable;
        throw error;
      });
      if (found === undecryptable || !found?.endpoint.secrets.previous) return found;
      // The previous secret expires without a change of the endpoint.
      return resolve(found.endpoint, clock.now());
    },
    paused: () => [...pauses.keys()].filter(isPaused),
  };
}
