import { ListOf } from "@florin/contract/list.ts";
import {
  ListWebhookDeliveries,
  ResendWebhookDeliveries,
  WebhookDelivery,
  WebhookResend,
} from "@florin/contract/webhook-endpoint.ts";
import { ApiError, noSuch } from "../../core/api-error.ts";
import { unixSeconds } from "../../core/clock.ts";
import { idFromUuid, parseId } from "../../core/ids.ts";
import { recordPersonAction } from "../../platform/audit/record-person-action.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { namedId, rejectUnknownFilterIds } from "../../platform/http/filter-ids.sql.ts";
import { listPage, pageOf } from "../../platform/http/list.ts";
import {
  type ApiRequest,
  type ApiResponse,
  ok,
  type Route,
  route,
} from "../../platform/http/route.ts";
import { eventLifeMs } from "../events/event.ts";
import { insertMissedDeliveries } from "../events/outbox.sql.ts";
import {
  type DeliveryRow,
  listDeliveries,
  readDelivery,
  resendDelivery,
  resendGivenUp,
} from "./delivery.sql.ts";
import { deliveryObject } from "./delivery-object.ts";
import { endBackoff, lockEndpoint, readEndpoint } from "./endpoint.sql.ts";
import type { WebhookEndpoint } from "./endpoint.ts";
import { endpointIdIn, endpointsPath, type WebhookRouteDeps } from "./endpoint-request.ts";

/** The maximum number of deliveries that one request makes due. The next request continues after them. */
const maxResent = 10_000;

export function deliveryRoutes(deps: WebhookRouteDeps): Route[] {
  const { database, clock, idempotencyKeys } = deps;

  const once = ({ scope, idempotency }: ApiRequest, work: (tx: Tx) => Promise<ApiResponse>) =>
    idempotencyKeys.runInTransaction(scope, idempotency, work);

  async function foundDelivery(request: ApiRequest): Promise<DeliveryRow> {
    const id = parseId("whd", request.params.id ?? "");
    const row = id && (await readDelivery(database.read, request.scope, id));
    if (!row) throw noSuch("webhook delivery", request.params.id ?? "");
    return row;
  }

  return [
    route({
      method: "GET",
      path: `${endpointsPath}/:id/deliveries`,
      summary: "List the deliveries to a webhook endpoint",
      permission: "webhooks:read",
      query: ListWebhookDeliveries,
      response: ListOf(WebhookDelivery, `/api/v1${endpointsPath}/{id}/deliveries`),
      status: 200,
      handle: async (request) => {
        const { scope, query } = request;
        const endpointId = endpointIdIn(request);
        const page = pageOf(query, "whd");
        const url = `/api/v1${endpointsPath}/${endpointId}/deliveries`;
        const eventId = namedId("evt", query.event_id, "event_id");
        const filter = { endpointId, status: query.status, eventId };
        const endpoint = await readEndpoint(database.read, scope, endpointId);
        if (!endpoint) throw noSuch("webhook endpoint", endpointId);
        const rows = await listDeliveries(database.read, scope, filter, page);
        await rejectUnknownFilterIds(database.read, scope, rows, { event_id: eventId });
        return ok(listPage(rows, page, url, deliveryObject));
      },
    }),
    route({
      method: "POST",
      path: `${endpointsPath}/:id/resend`,
      summary: "Resend the missed events of a webhook endpoint since a time",
      permission: "webhooks:write",
      body: ResendWebhookDeliveries,
      response: WebhookResend,
      status: 200,
      handle: async (request) => {
        const { scope, body, idempotency } = request;
        const response = await deps.idempotencyKeys.runLongTransaction(
          scope,
          idempotency,
          async (tx) => {
            const endpointId = endpointIdIn(request);
            rejectDisabled(await lockEndpoint(tx, scope, endpointId), endpointId);
            const oldest = clock.now().getTime() - eventLifeMs;
            const since = new Date(Math.max(body.since * 1000, oldest));
            const givenUp = await resendGivenUp(tx, { scope, endpointId, since, limit: maxResent });
            const limit = maxResent - givenUp;
            await endBackoff(tx, scope, endpointId, clock.now());
            const missed = await insertMissedDeliveries(tx, { scope, endpointId, since, limit });
            const resent = givenUp + missed;
            const entry = {
              action: "webhook_endpoint.events_resent",
              object: endpointId,
              after: { since: unixSeconds(since), resent },
            } as const;
            await recordPersonAction(tx, request, entry, clock);
            return ok({
              object: "webhook_resend",
              endpoint_id: endpointId,
              since: unixSeconds(since),
              resent,
              has_more: resent >= maxResent,
            });
          },
        );
        deps.wakeDeliveries();
        return response;
      },
    }),
    route({
      method: "GET",
      path: "/webhook_deliveries/:id",
      summary: "Retrieve a delivery with its attempts",
      permission: "webhooks:read",
      response: WebhookDelivery,
      status: 200,
      handle: async (request) => ok(deliveryObject(await foundDelivery(request))),
    }),
    route({
      method: "POST",
      path: "/webhook_deliveries/:id/resend",
      summary: "Resend a delivery immediately",
      permission: "webhooks:write",
      response: WebhookDelivery,
      status: 200,
      handle: async (request) => {
        const { scope } = request;
        const delivery = await foundDelivery(request);
        const id = idFromUuid("whd", delivery.id);
        const endpointId = idFromUuid("we", delivery.endpoint_id);
        const response = await once(request, async (tx) => {
          rejectDisabled(await lockEndpoint(tx, scope, endpointId), endpointId);
          const now = clock.now();
          const isResent = await resendDelivery(tx, scope, id, now);
          if (isResent) await endBackoff(tx, scope, endpointId, now);
          const resent = deliveryObject((await readDelivery(tx, scope, id)) as DeliveryRow);
          if (isResent) {
            const after = { endpoint: endpointId };
            const entry = { action: "webhook_delivery.resent", object: id, after } as const;
            await recordPersonAction(tx, request, entry, clock);
          }
          return ok(resent);
        });
        deps.wakeDeliveries();
        return response;
      },
    }),
  ];
}

/** Rejects a resend to a disabled endpoint, because its deliveries would immediately become `given_up`. */
function rejectDisabled(endpoint: WebhookEndpoint | null, id: string): void {
  if (!endpoint) throw noSuch("webhook endpoint", id);
  if (endpoint.status === "enabled") return;
  throw new ApiError(
    "status_transition_invalid",
    `The endpoint ${id} is disabled. Enable the endpoint (status: 'enabled'), then send this request again.`,
  );
}
