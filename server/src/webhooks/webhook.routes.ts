import { Event } from "@florin/contract/event.ts";
import { ListOf } from "@florin/contract/list.ts";
import {
  CreateWebhookEndpoint,
  ListWebhookDeliveries,
  ListWebhookEndpoints,
  RollWebhookSecret,
  UpdateWebhookEndpoint,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointDeleted,
  WebhookEndpointWithSecret,
} from "@florin/contract/webhook-endpoint.ts";
import type { Database } from "../database/database.ts";
import type { Tx } from "../database/sql.ts";
import { insertEvent } from "../events/event.sql.ts";
import { renderEvent } from "../events/event.ts";
import { listPage, pageOf } from "../http/list.ts";
import { type Answer, type ApiRequest, created, ok, type Route, route } from "../http/route.ts";
import type { IdempotencyKeys } from "../idempotency/idempotency.ts";
import { noSuch } from "../primitives/api-error.ts";
import { type Clock, unixSeconds } from "../primitives/clock.ts";
import {
  createdAt,
  idFromUuid,
  newId,
  parseId,
  type WebhookEndpointId,
} from "../primitives/ids.ts";
import type { KeyProvider } from "../vault/key-provider.ts";
import { type DeliveryRow, listDeliveries, readDelivery, resendDelivery } from "./delivery.sql.ts";
import {
  deleteEndpoint,
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
import { parseEndpointUrl } from "./endpoint-url.ts";
import { newSigningSecret } from "./signature.ts";
import { sealSigningSecret } from "./signing-keys.ts";

export type WebhookRouteDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly keys: KeyProvider;
  /** In test mode, whether an endpoint may be at a private or loopback address (contract §6). */
  readonly allowPrivateAddresses: boolean;
  /** Called when deliveries were written and the commit is done. */
  readonly wakeDeliveries: () => void;
};

const endpointsPath = "/webhook_endpoints";
const defaultOverlapSeconds = 86_400;

export function webhookRoutes(deps: WebhookRouteDeps): Route[] {
  const { database, clock, idempotencyKeys, keys } = deps;

  const once = ({ owner, idempotency }: ApiRequest, work: (tx: Tx) => Promise<Answer>) =>
    idempotencyKeys.once(owner, idempotency, work);

  const parseUrl = (text: string, { owner }: ApiRequest) =>
    parseEndpointUrl(text, {
      livemode: owner.livemode,
      allowPrivateAddresses: deps.allowPrivateAddresses,
    });

  async function locked(tx: Tx, request: ApiRequest): Promise<Endpoint> {
    const endpoint = await lockEndpoint(tx, request.owner, endpointIdIn(request));
    if (!endpoint) throw noSuch("webhook endpoint", request.params.id ?? "");
    return endpoint;
  }

  async function found(request: ApiRequest): Promise<Endpoint> {
    const endpoint = await readEndpoint(database.read, request.owner, endpointIdIn(request));
    if (!endpoint) throw noSuch("webhook endpoint", request.params.id ?? "");
    return endpoint;
  }

  async function foundDelivery(request: ApiRequest): Promise<DeliveryRow> {
    const id = parseId("whd", request.params.id ?? "");
    const row = id && (await readDelivery(database.read, request.owner, id));
    if (!row) throw noSuch("webhook delivery", request.params.id ?? "");
    return row;
  }

  return [
    route({
      method: "POST",
      path: endpointsPath,
      summary: "Create a webhook endpoint",
      body: CreateWebhookEndpoint,
      answer: WebhookEndpointWithSecret,
      status: 201,
      handle: async (request) => {
        const { owner, body } = request;
        const url = parseUrl(body.url, request);
        const id = newId("we", clock.now());
        const secret = newSigningSecret();
        const endpoint: Endpoint = {
          owner,
          id,
          url,
          enabledEvents: body.enabled_events ?? ["*"],
          description: body.description ?? null,
          status: body.status ?? "enabled",
          metadata: body.metadata ?? {},
          secrets: {
            current: await sealSigningSecret(keys, { owner, id }, secret),
            previous: null,
          },
        };
        return once(request, async (tx) => {
          await insertEndpoint(tx, endpoint);
          return created({ ...endpointObject(endpoint), secret });
        });
      },
    }),
    route({
      method: "GET",
      path: endpointsPath,
      summary: "List webhook endpoints",
      query: ListWebhookEndpoints,
      answer: ListOf(WebhookEndpoint, `/api/v1${endpointsPath}`),
      status: 200,
      handle: async ({ owner, query }) => {
        const page = pageOf(query, "we");
        const rows = await listEndpoints(database.read, owner, page);
        return ok(listPage(rows, page, `/api/v1${endpointsPath}`, endpointObject));
      },
    }),
    route({
      method: "GET",
      path: `${endpointsPath}/:id`,
      summary: "Read a webhook endpoint",
      answer: WebhookEndpoint,
      status: 200,
      handle: async (request) => ok(endpointObject(await found(request))),
    }),
    route({
      method: "POST",
      path: `${endpointsPath}/:id`,
      summary: "Change a webhook endpoint",
      body: UpdateWebhookEndpoint,
      answer: WebhookEndpoint,
      status: 200,
      handle: async (request) => {
        const { url: text, ...change } = request.body;
        const url = text === undefined ? undefined : parseUrl(text, request);
        return once(request, async (tx) => {
          const endpoint = changeEndpoint(await locked(tx, request), change, url);
          await updateEndpoint(tx, endpoint);
          return ok(endpointObject(endpoint));
        });
      },
    }),
    route({
      method: "DELETE",
      path: `${endpointsPath}/:id`,
      summary: "Delete a webhook endpoint",
      answer: WebhookEndpointDeleted,
      status: 200,
      handle: async (request) => {
        const id = endpointIdIn(request);
        const deleted = await database.transaction((tx) => deleteEndpoint(tx, request.owner, id));
        if (!deleted) throw noSuch("webhook endpoint", id);
        return ok({ id, object: "webhook_endpoint", deleted: true });
      },
    }),
    route({
      method: "POST",
      path: `${endpointsPath}/:id/roll_secret`,
      summary: "Give a webhook endpoint a new signing secret",
      body: RollWebhookSecret,
      answer: WebhookEndpointWithSecret,
      status: 200,
      handle: async (request) => {
        const { owner, body } = request;
        const secret = newSigningSecret();
        const id = endpointIdIn(request);
        const sealed = await sealSigningSecret(keys, { owner, id }, secret);
        const overlap = body?.expires_in ?? defaultOverlapSeconds;
        return once(request, async (tx) => {
          const rolled = rollSecret(await locked(tx, request), sealed, clock.now(), overlap);
          await updateEndpoint(tx, rolled);
          return ok({ ...endpointObject(rolled), secret });
        });
      },
    }),
    route({
      method: "POST",
      path: `${endpointsPath}/:id/ping`,
      summary: "Send a webhook endpoint a ping, whatever it listens for",
      answer: Event,
      status: 201,
      handle: async (request) => {
        const answer = await once(request, async (tx) => {
          const endpoint = await locked(tx, request);
          const now = clock.now();
          const event = renderEvent({
            id: newId("evt", now),
            type: "ping",
            owner: request.owner,
            cause: { id: request.id, idempotencyKey: request.idempotency?.key ?? null },
            objectId: endpoint.id,
            object: JSON.stringify(endpointObject(endpoint)),
          });
          await insertEvent(tx, request.owner, event, endpoint.id);
          return { status: 201, body: event.body };
        });
        deps.wakeDeliveries();
        return answer;
      },
    }),
    route({
      method: "GET",
      path: `${endpointsPath}/:id/deliveries`,
      summary: "List the deliveries to a webhook endpoint",
      query: ListWebhookDeliveries,
      answer: ListOf(WebhookDelivery, `/api/v1${endpointsPath}/:id/deliveries`),
      status: 200,
      handle: async (request) => {
        const { owner, query } = request;
        const endpointId = endpointIdIn(request);
        const page = pageOf(query, "whd");
        const eventId = query.event_id === undefined ? undefined : parseId("evt", query.event_id);
        const url = `/api/v1${endpointsPath}/${endpointId}/deliveries`;
        const filter = { endpointId, status: query.status };
        await found(request);
        const rows =
          eventId === null
            ? []
            : await listDeliveries(database.read, owner, { ...filter, eventId }, page);
        return ok(listPage(rows, page, url, deliveryObject));
      },
    }),
    route({
      method: "GET",
      path: "/webhook_deliveries/:id",
      summary: "Read a delivery, with what was sent and what came back",
      answer: WebhookDelivery,
      status: 200,
      handle: async (request) => ok(deliveryObject(await foundDelivery(request))),
    }),
    route({
      method: "POST",
      path: "/webhook_deliveries/:id/resend",
      summary: "Send a finished delivery once more",
      answer: WebhookDelivery,
      status: 200,
      handle: async (request) => {
        const id = idFromUuid("whd", (await foundDelivery(request)).id);
        const answer = await once(request, async (tx) => {
          await resendDelivery(tx, request.owner, id, clock.now());
          return ok(deliveryObject((await readDelivery(tx, request.owner, id)) as DeliveryRow));
        });
        deps.wakeDeliveries();
        return answer;
      },
    }),
  ];
}

/** What is no id at all names nothing, in the same words as an id that names nothing. */
function endpointIdIn({ params }: ApiRequest): WebhookEndpointId {
  const id = parseId("we", params.id ?? "");
  if (!id) throw noSuch("webhook endpoint", params.id ?? "");
  return id;
}

function deliveryObject(row: DeliveryRow) {
  const id = idFromUuid("whd", row.id);
  return {
    id,
    object: "webhook_delivery" as const,
    livemode: row.livemode,
    created: unixSeconds(createdAt(id)),
    event_id: idFromUuid("evt", row.event_id),
    event_type: row.event_type,
    endpoint_id: idFromUuid("we", row.endpoint_id),
    url: row.url ?? "",
    status: row.status,
    attempts: row.attempts,
    next_attempt_at: row.next_attempt_at && unixSeconds(row.next_attempt_at),
    request_body: row.body,
    log: row.log,
  };
}
