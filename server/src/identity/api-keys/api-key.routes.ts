import {
  ApiKey as ApiKeySchema,
  ApiKeyWithSecret,
  CreateApiKey,
  ListApiKeys,
  RollApiKey,
  UpdateApiKey,
} from "@florin/contract/api-key.ts";
import { ListOf } from "@florin/contract/list.ts";
import { NoParameters } from "@florin/contract/no-parameters.ts";
import { ApiError, noSuch } from "../../core/api-error.ts";
import type { Clock } from "../../core/clock.ts";
import { type ApiKeyId, parseId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { type AuditValues, auditEntryOf } from "../../platform/audit/audit-entry.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import type { ChangeFeed } from "../../platform/changes/change-feed.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { listPage, pageOf } from "../../platform/http/list.ts";
import {
  type ApiRequest,
  type ApiResponse,
  created,
  ok,
  type Route,
  route,
} from "../../platform/http/route.ts";
import type { IdempotencyKeys } from "../../platform/idempotency/idempotency.ts";
import type { Accounts } from "../accounts/account-cache.ts";
import { assertStillPermitted } from "../accounts/assert-still-permitted.ts";
import { insertApiKey, listApiKeys, lockApiKey, readApiKey, updateApiKey } from "./api-key.sql.ts";
import { type ApiKey, apiKeyObject, assertActive, rolled } from "./api-key.ts";
import { type HashKey, type NewApiKey, newApiKey } from "./issue-api-key.ts";

/** Encrypts the text of a key for the stored response, so that a retry with the same idempotency key can return it. */
export type KeyEncryption = {
  encrypt(scope: Scope, id: ApiKeyId, secret: string): Promise<Buffer>;
  decrypt(scope: Scope, id: ApiKeyId, ciphertext: Buffer): Promise<string>;
};

export type ApiKeyRouteDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly accounts: Accounts;
  readonly hashKey: HashKey;
  readonly keyEncryption: KeyEncryption;
  readonly changes: Pick<ChangeFeed, "invalidate">;
};

const url = "/api/v1/api_keys";
const defaultOverlapSeconds = 86_400;

export function apiKeyRoutes(deps: ApiKeyRouteDeps): Route[] {
  const { database, clock, idempotencyKeys, keyEncryption } = deps;

  async function once(
    request: ApiRequest,
    work: (tx: Tx) => Promise<ApiResponse>,
  ): Promise<ApiResponse> {
    const { scope, idempotency } = request;
    const response = await idempotencyKeys.runInTransaction(scope, idempotency, async (tx) => {
      await assertStillPermitted(tx, request, "keys:write");
      return work(tx);
    });
    deps.changes.invalidate(scope.account);
    return response;
  }

  async function locked(tx: Tx, request: ApiRequest): Promise<ApiKey> {
    const key = await lockApiKey(tx, request.scope, idIn(request));
    if (!key) throw noSuch("API key", request.params.id ?? "");
    return key;
  }

  async function record(
    tx: Tx,
    request: ApiRequest,
    action: "created" | "renamed" | "rolled" | "revoked",
    object: ApiKeyId,
    change: { before?: AuditValues; after?: AuditValues } = {},
  ): Promise<void> {
    const entry = auditEntryOf(request, { action: `api_key.${action}`, object, ...change });
    await recordAuditEntry(tx, entry, clock);
  }

  /**
   * Returns the response for a new key. The text of the key is encrypted in the response, because the response is
   * stored.
   */
  async function withEncryptedSecret({ key, secret }: NewApiKey): Promise<object> {
    const ciphertext = await keyEncryption.encrypt(key.scope, key.id, secret);
    return { ...apiKeyObject(key, clock.now()), secret: ciphertext.toString("base64") };
  }

  async function reveal({ scope }: ApiRequest, response: ApiResponse): Promise<ApiResponse> {
    const object = JSON.parse(response.body);
    const ciphertext = Buffer.from(object.secret, "base64");
    object.secret = await keyEncryption.decrypt(scope, object.id, ciphertext);
    return { ...response, body: JSON.stringify(object) };
  }

  return [
    route({
      method: "POST",
      path: "/api_keys",
      summary: "Create an API key",
      permission: "keys:write",
      stepUp: true,
      body: CreateApiKey,
      response: ApiKeyWithSecret,
      status: 201,
      async handle(request) {
        const { scope, body } = request;
        await rejectBeforeApproval(deps.accounts, scope);
        const { name, permissions = null } = body;
        const made = await newApiKey(deps, { scope, name, permissions, createdBy: by(request) });
        const object = await withEncryptedSecret(made);
        const response = await once(request, async (tx) => {
          await insertApiKey(tx, made.key, made.hash);
          const { last4 } = made.key;
          await record(tx, request, "created", made.key.id, {
            after: { name, permissions, last4 },
          });
          return created(object);
        });
        return reveal(request, response);
      },
    }),
    route({
      method: "GET",
      path: "/api_keys",
      summary: "List API keys",
      permission: "keys:read",
      query: ListApiKeys,
      response: ListOf(ApiKeySchema, url),
      status: 200,
      async handle({ scope, query }) {
        const page = pageOf(query, "key");
        const now = clock.now();
        const keys = await listApiKeys(database.read, scope, query.status, now, page);
        return ok(listPage(keys, page, url, (key) => apiKeyObject(key, now)));
      },
    }),
    route({
      method: "GET",
      path: "/api_keys/:id",
      summary: "Retrieve an API key",
      permission: "keys:read",
      response: ApiKeySchema,
      status: 200,
      async handle(request) {
        const key = await readApiKey(database.read, request.scope, idIn(request));
        if (!key) throw noSuch("API key", request.params.id ?? "");
        return ok(apiKeyObject(key, clock.now()));
      },
    }),
    route({
      method: "POST",
      path: "/api_keys/:id",
      summary: "Rename an API key",
      permission: "keys:write",
      body: UpdateApiKey,
      response: ApiKeySchema,
      status: 200,
      handle: (request) =>
        once(request, async (tx) => {
          const before = await locked(tx, request);
          const key = { ...before, name: request.body.name };
          if (key.name === before.name) return ok(apiKeyObject(before, clock.now()));
          await updateApiKey(tx, key);
          await record(tx, request, "renamed", key.id, {
            before: { name: before.name },
            after: { name: key.name },
          });
          return ok(apiKeyObject(key, clock.now()));
        }),
    }),
    route({
      method: "POST",
      path: "/api_keys/:id/roll",
      summary: "Roll an API key",
      permission: "keys:write",
      stepUp: true,
      body: RollApiKey,
      response: ApiKeyWithSecret,
      status: 201,
      async handle(request) {
        const { scope, body } = request;
        const known = await readApiKey(database.read, scope, idIn(request));
        if (!known) throw noSuch("API key", request.params.id ?? "");
        const { name, permissions } = known;
        const made = await newApiKey(deps, { scope, name, permissions, createdBy: by(request) });
        const object = await withEncryptedSecret(made);
        const response = await once(request, async (tx) => {
          const now = clock.now();
          const old = await locked(tx, request);
          assertActive(old, now);
          const overlap = body.expires_in ?? defaultOverlapSeconds;
          await updateApiKey(tx, rolled(old, now, overlap));
          await insertApiKey(tx, made.key, made.hash);
          await record(tx, request, "rolled", old.id, {
            after: { successor: made.key.id, last4: made.key.last4, expires_in: overlap },
          });
          return created(object);
        });
        return reveal(request, response);
      },
    }),
    route({
      method: "POST",
      path: "/api_keys/:id/revoke",
      summary: "Revoke an API key",
      permission: "keys:write",
      stepUp: true,
      body: NoParameters,
      response: ApiKeySchema,
      status: 200,
      handle: (request) =>
        once(request, async (tx) => {
          const now = clock.now();
          const before = await locked(tx, request);
          assertActive(before, now);
          const key = { ...before, revokedAt: now };
          await updateApiKey(tx, key);
          const { name, last4 } = key;
          await record(tx, request, "revoked", key.id, { before: { name, last4 } });
          return ok(apiKeyObject(key, now));
        }),
    }),
  ];
}

function idIn({ params }: ApiRequest): ApiKeyId {
  const id = parseId("key", params.id ?? "");
  if (!id) throw noSuch("API key", params.id ?? "");
  return id;
}

function by({ actor }: ApiRequest) {
  return actor.kind === "person" ? actor.id : null;
}

/**
 * Rejects a live key unless the account is approved. A database constraint also rejects a live key of an account that
 * was never approved.
 */
async function rejectBeforeApproval(accounts: Accounts, scope: Scope): Promise<void> {
  if (!scope.livemode || (await accounts.get(scope.account)).status === "approved") return;
  throw new ApiError(
    "account_not_approved",
    "Live keys require an account with the status 'approved'. Apply for live mode in the dashboard. If the account is suspended or closed, contact the operator. Test keys need no approval.",
  );
}
