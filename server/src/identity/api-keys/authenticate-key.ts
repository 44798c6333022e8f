import { keyPermissions, type Permission } from "@florin/contract/permissions.ts";
import { ApiError } from "../../core/api-error.ts";
import type { Clock } from "../../core/clock.ts";
import { ttlCache } from "../../core/ttl-cache.ts";
import { cacheUntilChanged } from "../../platform/changes/cache-until-changed.ts";
import type { CacheValidity } from "../../platform/changes/change-feed.ts";
import { batchReads } from "../../platform/database/batch-reads.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Caller } from "../../platform/http/caller.ts";
import type { Accounts } from "../accounts/account-cache.ts";
import { findApiKeys, listKeyHashes } from "./api-key.sql.ts";
import type { ApiKey } from "./api-key.ts";
import type { HashKey } from "./issue-api-key.ts";
import { isLiveKey, parseSecretKey, type SecretKey } from "./key-text.ts";
import type { KeyUses } from "./key-use.ts";

/** Authenticates a request by its Authorization header. Rejects it with a 401 that names the problem. */
export type Authenticate = {
  (authorization: string | undefined): Promise<Caller>;
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

/** The interval at which the last use of a key is noted. */
const noteEveryMs = 1_000;

/**
 * The cached facts of a key. All requests with the key share one `caller` object, which saves an allocation per
 * request. `notedAt` is the time at which the key's last use was noted.
 */
type KnownKey = Pick<ApiKey, "id" | "expiresAt" | "revokedAt"> & {
  readonly caller: Caller;
  notedAt: number;
};

export function createKeyAuthentication(deps: {
  database: Database;
  changes: CacheValidity;
  accounts: Accounts;
  clock: Clock;
  hashKey: HashKey;
  keyUses: Pick<KeyUses, "note">;
}): Authenticate {
  const find = batchReads((hashes: readonly Buffer[]) => findApiKeys(deps.database.read, hashes));
  const keys = cacheUntilChanged<KnownKey>(deps.changes, {
    async read(text) {
      const key = await find(await deps.hashKey(text as SecretKey));
      if (!key) return null;
      const { id, expiresAt, revokedAt } = key;
      const caller = await callerOf(deps.accounts, key);
      return { id, expiresAt, revokedAt, caller, notedAt: -noteEveryMs };
    },
    accountOf: ({ caller }) => caller.scope.account,
  });

  function noteUse(known: KnownKey): void {
    const now = Math.floor(performance.now());
    if (now - known.notedAt < noteEveryMs) return;
    known.notedAt = now;
    deps.keyUses.note({ id: known.id, scope: known.caller.scope, at: deps.clock.now() });
  }

  const authenticate = async (authorization: string | undefined): Promise<Caller> => {
    const key = readHeader(authorization);
    const known = keys.peek(key) ?? (await keys.get(key));
    if (!known || known.caller.scope.livemode !== isLiveKey(key))
      throw rejection("api_key_invalid");
    noteUse(known);
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
  return Object.assign(authenticate, { mayExist });
}

const everythingForKeys: ReadonlySet<Permission> = new Set(keyPermissions);

async function callerOf(
  accounts: Accounts,
  { id, name, scope, permissions }: ApiKey,
): Promise<Caller> {
  const { limits } = await accounts.get(scope.account);
  return {
    scope,
    actor: { kind: "api_key", id, name },
    permissions: permissions ? new Set(permissions) : everythingForKeys,
    authenticatedAt: null,
    requestsPerSecond: limits.requestsPerSecond,
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
