import { isDeepStrictEqual } from "node:util";
import { Event, type EventType } from "@florin/contract/event.ts";
import { ListOf } from "@florin/contract/list.ts";
import {
  CreateWebhookEndpoint,
  ListWebhookEndpoints,
  maxWebhookEndpoints,
  RollWebhookSecret,
  SendSampleEvent,
  UpdateWebhookEndpoint,
  WebhookEndpoint,
  WebhookEndpointDeleted,
  WebhookEndpointWithSecret,
} from "@florin/contract/webhook-endpoint.ts";
import { ApiError, noSuch } from "../../core/api-error.ts";
import { assertTestMode } from "../../core/assert-test-mode.ts";
import { newId } from "../../core/ids.ts";
import { lockAccount } from "../../identity/accounts/account.sql.ts";
import { assertStillPermitted } from "../../identity/accounts/assert-still-permitted.ts";
import { type AuditValues, auditEntryOf } from "../../platform/audit/audit-entry.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import { recordPersonAction } from "../../platform/audit/record-person-action.ts";
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
import { renderEvent } from "../events/event.ts";
import { insertEvent } from "../events/outbox.sql.ts";
import { putFirst } from "./delivery.sql.ts";
import {
  countEndpoints,
  deleteEndpoint,
  endBackoff,
  insertEndpoint,
  listEndpoints,
  lockEndpoint,
  readEndpoint,
  updateEndpoint,
} from "./endpoint.sql.ts";
import {
  changeEndpoint,
  type WebhookEndpoint as Endpoint,
  endpointObject,
  rollSecret,
} from "./endpoint.ts";
import { endpointIdIn, endpointsPath, type WebhookRouteDeps } from "./endpoint-request.ts";
import { parseEndpointUrl } from "./endpoint-url.ts";
import { addressRules } from "./ip-address-rules.ts";
import { sampleObject } from "./sample-event.ts";
import { newSigningSecret } from "./signature.ts";
import { decryptSigningSecret, encryptSigningSecret } from "./signing-keys.ts";

const defaultOverlapSeconds = 86_400;

export function endpointRoutes(deps: WebhookRouteDeps): Route[] {
  const { database, clock, idempotencyKeys, keys } = deps;

  const once = (request: ApiRequest, work: (tx: Tx) => Promise<ApiResponse>) =>
    idempotencyKeys.runInTransaction(request.scope, request.idempotency, async (tx) => {
      await assertStillPermitted(tx, request, "webhooks:write");
      return work(tx);
    });

  const rulesFor = addressRules(deps.privateNetworks);
  const parseUrl = (text: string, { scope }: ApiRequest) =>
    parseEndpointUrl(text, scope.livemode, rulesFor(scope));

  /**
   * Adds the signing secret to a response. The response is stored under its idempotency key with the secret encrypted.
   * The secret is decrypted each time the response is sent. A replay is byte-identical, and no plaintext secret is
   * stored.
   */
  async function reveal({ scope }: ApiRequest, response: ApiResponse): Promise<ApiResponse> {
    const object = JSON.parse(response.body);
    const ciphertext = Buffer.from(object.secret, "base64");
    object.secret = await decryptSigningSecret(keys, { scope, id: object.id }, ciphertext);
    return { ...response, body: JSON.stringify(object) };
  }

  async function record(
    tx: Tx,
    request: ApiRequest,
    action: "created" | "updated" | "deleted" | "secret_rolled",
    object: Endpoint["id"],
    change: { before?: AuditValues; after?: AuditValues },
  ): Promise<void> {
    const entry = auditEntryOf(request, {
      action: `webhook_endpoint.${action}`,
      object,
      ...change,
    });
    await recordAuditEntry(tx, entry, clock);
  }

  async function locked(tx: Tx, request: ApiRequest): Promise<Endpoint> {
    const endpoint = await lockEndpoint(tx, request.scope, endpointIdIn(request));
    if (!endpoint) throw noSuch("webhook endpoint", request.params.id ?? "");
    return endpoint;
  }

  async function found(request: ApiRequest): Promise<Endpoint> {
    const endpoint = await readEndpoint(database.read, request.scope, endpointIdIn(request));
    if (!endpoint) throw noSuch("webhook endpoint", request.params.id ?? "");
    return endpoint;
  }

  return [
    route({
      method: "POST",
      path: endpointsPath,
      summary: "Create a webhook endpoint",
      permission: "webhooks:write",
      stepUp: true,
      body: CreateWebhookEndpoint,
      response: WebhookEndpointWithSecret,
      status: 201,
      handle: async (request) => {
        const { scope, body } = request;
        const id = newId("we", clock.now());
        const current = await encryptSigningSecret(keys, { scope, id }, newSigningSecret());
        const response = await once(request, async (tx) => {
          const endpoint: Endpoint = {
            scope,
            id,
            url: parseUrl(body.url, request),
            enabledEvents: body.enabled_events ?? ["*"],
            description: body.description ?? null,
            status: body.status ?? "enabled",
            metadata: body.metadata ?? {},
            secrets: { current, previous: null },
            failing: null,
            lastFailure: null,
            version: 1,
          };
          // The lock prevents concurrent requests from exceeding the maximum number of endpoints.
          await lockAccount(tx, scope.account);
          if ((await countEndpoints(tx, scope)) >= maxWebhookEndpoints) throw tooMany();
          await insertEndpoint(tx, endpoint);
          await record(tx, request, "created", id, { after: auditValues(endpoint) });
          return created({ ...endpointObject(endpoint), secret: current.toString("base64") });
        });
        return reveal(request, response);
      },
    }),
    route({
      method: "GET",
      path: endpointsPath,
      summary: "List webhook endpoints",
      permission: "webhooks:read",
      query: ListWebhookEndpoints,
      response: ListOf(WebhookEndpoint, `/api/v1${endpointsPath}`),
      status: 200,
      handle: async ({ scope, query }) => {
        const page = pageOf(query, "we");
        const rows = await listEndpoints(database.read, scope, query, page);
        return ok(listPage(rows, page, `/api/v1${endpointsPath}`, endpointObject));
      },
    }),
    route({
      method: "GET",
      path: `${endpointsPath}/:id`,
      summary: "Retrieve a webhook endpoint",
      permission: "webhooks:read",
      response: WebhookEndpoint,
      status: 200,
      handle: async (request) => ok(endpointObject(await found(request))),
    }),
    route({
      method: "POST",
      path: `${endpointsPath}/:id`,
      summary: "Update a webhook endpoint",
      permission: "webhooks:write",
      stepUp: ({ url }) => url !== undefined,
      body: UpdateWebhookEndpoint,
      response: WebhookEndpoint,
      status: 200,
      handle: async (request) => {
        const { url: text, ...change } = request.body;
        return once(request, async (tx) => {
          const url = text === undefined ? undefined : parseUrl(text, request);
          const before = await locked(tx, request);
          const endpoint = changeEndpoint(before, change, url);
          // Compares without the version, because `changeEndpoint` always increments it.
          const { version } = before;
          if (isDeepStrictEqual({ ...endpoint, version }, before))
            return ok(endpointObject(before));
          await updateEndpoint(tx, endpoint);
          await record(tx, request, "updated", endpoint.id, {
            before: auditValues(before),
            after: auditValues(endpoint),
          });
          return ok(endpointObject(endpoint));
        });
      },
    }),
    route({
      method: "DELETE",
      path: `${endpointsPath}/:id`,
      summary: "Delete a webhook endpoint",
      permission: "webhooks:write",
      response: WebhookEndpointDeleted,
      status: 200,
      handle: async (request) => {
        const id = endpointIdIn(request);
        await database.transactionOf(request.scope, async (tx) => {
          const before = await locked(tx, request);
          await deleteEndpoint(tx, request.scope, id);
          await record(tx, request, "deleted", id, { before: auditValues(before) });
        });
        return ok({ id, object: "webhook_endpoint", deleted: true });
      },
    }),
    route({
      method: "POST",
      path: `${endpointsPath}/:id/roll_secret`,
      summary: "Roll the signing secret of a webhook endpoint",
      permission: "webhooks:write",
      stepUp: true,
      body: RollWebhookSecret,
      response: WebhookEndpointWithSecret,
      status: 200,
      handle: async (request) => {
        const { scope, body } = request;
        const id = endpointIdIn(request);
        const ciphertext = await encryptSigningSecret(keys, { scope, id }, newSigningSecret());
        const overlap = body?.expires_in ?? defaultOverlapSeconds;
        const response = await once(request, async (tx) => {
          const rolled = rollSecret(await locked(tx, request), ciphertext, clock.now(), overlap);
          await updateEndpoint(tx, rolled);
          await record(tx, request, "secret_rolled", id, { after: { expires_in: overlap } });
          return ok({ ...endpointObject(rolled), secret: ciphertext.toString("base64") });
        });
        return reveal(request, response);
      },
    }),
    route({
      method: "POST",
      path: `${endpointsPath}/:id/ping`,
      summary: "Send a ping to a webhook endpoint",
      permission: "webhooks:write",
      response: Event,
      status: 201,
      handle: (request) => sendTo(request, "ping"),
    }),
    route({
      method: "POST",
      path: `${endpointsPath}/:id/sample_event`,
      summary: "Send a sample event to a webhook endpoint",
      permission: "webhooks:write",
      body: SendSampleEvent,
      response: Event,
      status: 201,
      handle: (request) => sendTo(request, request.body.type),
    }),
  ];

  /**
   * Sends a ping or a sample event to one endpoint, before its other deliveries, even if it does not subscribe to the
   * type.
   */
  async function sendTo(request: ApiRequest, type: EventType): Promise<ApiResponse> {
    const { scope, id, idempotency } = request;
    const response = await once(request, async (tx) => {
      const endpoint = await locked(tx, request);
      const now = clock.now();
      const isPing = type === "ping";
      if (!isPing) assertTestMode(scope);
      const rendered = renderEvent({
        id: newId("evt", now),
        type,
        scope,
        cause: { id, idempotencyKey: idempotency?.key ?? null },
        ...(!isPing && { sample: true }),
        objectId: endpoint.id,
        object: JSON.stringify(isPing ? endpointObject(endpoint) : sampleObject(type)),
      });
      // A sample is stored as a ping, because it reports no change. `florin verify`, the timeline and the notifications
      // would otherwise look for its object.
      const event = { ...rendered, type: "ping" } as const;
      await insertEvent(tx, scope, event, endpoint.id);
      await putFirst(tx, scope, { eventId: event.id, endpointId: endpoint.id }, now);
      await endBackoff(tx, scope, endpoint.id, now);
      const action = isPing ? "webhook_endpoint.ping_sent" : "webhook_endpoint.sample_sent";
      const after = { event: event.id, ...(!isPing && { type }) };
      await recordPersonAction(tx, request, { action, object: endpoint.id, after }, clock);
      return { status: 201, body: event.body };
    });
    deps.wakeDeliveries();
    return response;
  }
}

function tooMany(): ApiError {
  return new ApiError(
    "parameter_invalid",
    `The account has reached the maximum of ${maxWebhookEndpoints} webhook endpoints. Delete an endpoint first.`,
    { param: "url" },
  );
}

function auditValues({ url, enabledEvents, description, status }: Endpoint): AuditValues {
  return { url, enabled_events: enabledEvents, description, status };
}
