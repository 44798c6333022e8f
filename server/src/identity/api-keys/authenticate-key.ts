import { keyPermissions, type Permission } from "@florin/contract/permissions.ts";
import { ApiError } from "../../core/api-error.ts";
import type { Clock } from "../../core/clock.ts";
import { oneSecondCacheMs, ttlCache } from "../../core/ttl-cache.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Caller } from "../../platform/http/caller.ts";
import { readRequestsPerSecond } from "../accounts/account.sql.ts";
import { findApiKey, listKeyHashes } from "./api-key.sql.ts";
import type { ApiKey } from "./api-key.ts";
import type { HashKey } from "./issue-api-key.ts";
import { isLiveKey, parseSecretKey, type SecretKey } from "./key-text.ts";
import type { KeyUses } from "./key-use.ts";

/** Authenticates a request by its Authorization header. Rejects it with a 401 that names the problem. */
export type Authenticate = {
  (authorization: string | undefined): Promise<Caller>;
  /**
   * Clears the cache after a key was revoked or rolled. This process then rejects the key immediately, and other
   * processes within a second.
   */
  clear(): void;
  /**
   * Returns false if the header contains a well-formed key that is not in the list of unrevoked keys. The list is read
   * from the database at most every ten seconds.
   */
  mayExist(authorization: string | undefined): Promise<boolean>;
};

const listedMs = 10_000;

/**
 * The maximum length of the list of keys. It limits the time and memory that reading the list takes. If there are more
 * keys than this, `mayExist` returns true for every key.
 */
const maxListedKeys = 20_000;

export function createKeyAuthentication(deps: {
  database: Database;
  clock: Clock;
  hashKey: HashKey;
  keyUses: Pick<KeyUses, "note">;
}): Authenticate {
  // The TTL bounds the time for which other processes accept a revoked key.
  const keyOf = ttlCache(oneSecondCacheMs, async (key: SecretKey) => {
    const known = await findApiKey(deps.database.read, await deps.hashKey(key));
    // The TTL cache limits this to about one call per second for each key.
    if (known) deps.keyUses.note({ id: known.id, scope: known.scope, at: deps.clock.now() });
    // All requests within the TTL share one object, which saves an allocation per request.
    return known && { ...known, caller: await callerOf(deps.database, known) };
  });

  const authenticate = async (authorization: string | undefined): Promise<Caller> => {
    const key = readHeader(authorization);
    const known = await keyOf(key);
    if (!known || known.scope.livemode !== isLiveKey(key)) throw rejection("api_key_invalid");
    if (known.revokedAt) throw rejection("api_key_revoked");
    if (known.expiresAt && known.expiresAt <= deps.clock.now()) throw rejection("api_key_expired");
    return known.caller;
  };

  const listKeys = ttlCache(listedMs, () => listKeyHashes(deps.database.read, maxListedKeys));
  const mayExist = async (authorization: string | undefined): Promise<boolean> => {
    const key = keyIn(authorization);
    // Returns true, because authentication rejects malformed keys without a database read.
    if (!key) return true;
    const known = await listKeys("all");
    return known === null || known.has((await deps.hashKey(key)).toString("base64"));
  };
  return Object.assign(authenticate, { clear: keyOf.clear, mayExist });
}

const everythingForKeys: ReadonlySet<Permission> = new Set(keyPermissions);

async function callerOf(
  { read }: Database,
  { id, name, scope, permissions }: ApiKey,
): Promise<Caller> {
  return {
    scope,
    actor: { kind: "api_key", id, name },
    permissions: permissions ? new Set(permissions) : everythingForKeys,
    authenticatedAt: null,
    requestsPerSecond: await readRequestsPerSecond(read, scope.account),
  };
}

function readHeader(authorization: string | undefined): SecretKey {
  if (authorization === undefined) throw rejection("api_key_missing");
  const text = bearerIn(authorization);
  if (text === undefined) throw rejection("api_key_malformed");
  if (text.startsWith("pk_")) throw rejection("secret_key_required");
  const key = parseSecretKey(text);
  if (!key) throw rejection("api_key_malformed");
  return key;
}

/** Returns the key in the header, or null if the header contains no well-formed key. */
function keyIn(authorization: string | undefined): SecretKey | null {
  return parseSecretKey(bearerIn(authorization ?? "") ?? "");
}

function bearerIn(authorization: string): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
}

const messages = {
  api_key_missing:
    "The Authorization header is missing. Send 'Authorization: Bearer' followed by your secret key.",
  api_key_malformed:
    "The Authorization header must contain a secret key: 'Bearer sk_test_…' or 'Bearer sk_live_…' (or rk_ for a restricted key). Copy the complete key again.",
  api_key_invalid:
    "The secret key does not exist. Check that the request goes to the right server with the right key.",
  api_key_revoked:
    "The secret key was revoked. Use another key, or create a new one in the dashboard.",
  api_key_expired:
    "The secret key has expired. Use the key that replaced it, or create a new key in the dashboard.",
  secret_key_required:
    "A publishable key cannot call this endpoint. Call the endpoint from your server with the secret key.",
} as const;

function rejection(code: keyof typeof messages): ApiError {
  return new ApiError(code, messages[code], {
    headers: { "www-authenticate": 'Bearer realm="florin"' },
  });
}
