import { ListOf } from "@florin/contract/list.ts";
import {
  ListRequestErrors,
  ListRequestLogs,
  LoggedRequest,
  LoggedRequestWithBodies,
  RequestErrorGroup,
} from "@florin/contract/request-log.ts";
import { noSuch } from "../../core/api-error.ts";
import { type Clock, unixSeconds } from "../../core/clock.ts";
import { createdAt, firstUuidAt, idFromUuid, parseId } from "../../core/ids.ts";
import type { Database } from "../../platform/database/database.ts";
import { listPage, pageOf } from "../../platform/http/list.ts";
import { ok, type Route, route } from "../../platform/http/route.ts";
import { loggedRequestObject, withBodies } from "./logged-request.ts";
import { uuidOfAny } from "./object-ids-in-request.ts";
import { requestLifeMs } from "./request-log.jobs.ts";
import { type ErrorGroup, groupErrors, listRequests, readRequest } from "./request-log.sql.ts";

const url = "/api/v1/request_logs";
const errorsUrl = "/api/v1/request_errors";
const usualHours = 24;

/** The nil UUID, which matches no object. */
const noObject = "00000000-0000-0000-0000-000000000000";

export function requestLogRoutes({
  database,
  clock,
}: {
  readonly database: Database;
  readonly clock: Clock;
}): Route[] {
  const oldest = (): Date => new Date(clock.now().getTime() - requestLifeMs);

  return [
    route({
      method: "GET",
      path: "/request_logs",
      summary: "List requests",
      permission: "logs:read",
      query: ListRequestLogs,
      response: ListOf(LoggedRequest, url),
      status: 200,
      async handle({ scope, query }) {
        const requested = pageOf(query, "req");
        const from = firstUuidAt(oldest());
        const page = { ...requested, from: requested.from > from ? requested.from : from };
        const { object_id } = query;
        const object = object_id === undefined ? undefined : (uuidOfAny(object_id) ?? noObject);
        const rows = await listRequests(database.read, scope, { ...query, object }, page);
        return ok(listPage(rows, page, url, loggedRequestObject));
      },
    }),
    route({
      method: "GET",
      path: "/request_logs/:id",
      summary: "Retrieve a request",
      permission: "logs:read",
      response: LoggedRequestWithBodies,
      status: 200,
      async handle({ scope, params }) {
        const text = params.id as string;
        const id = parseId("req", text);
        const isKept = id && createdAt(id) >= oldest();
        const found = isKept ? await readRequest(database.read, scope, id) : null;
        if (!found) throw noSuch("request", text);
        return ok(withBodies(found));
      },
    }),
    route({
      method: "GET",
      path: "/request_errors",
      summary: "List errors by endpoint and code",
      permission: "logs:read",
      query: ListRequestErrors,
      response: ListOf(RequestErrorGroup, errorsUrl),
      status: 200,
      async handle({ scope, query }) {
        const hours = query.hours ?? usualHours;
        const since = firstUuidAt(new Date(clock.now().getTime() - hours * 60 * 60 * 1000));
        const groups = await groupErrors(database.read, scope, since);
        return ok({ object: "list", url: errorsUrl, has_more: false, data: groups.map(toObject) });
      },
    }),
  ];
}

function toObject({ endpoint, error_code, status, count, first, last }: ErrorGroup) {
  const newest = idFromUuid("req", last);
  return {
    object: "request_error",
    endpoint,
    error_code,
    status,
    count,
    first_seen: unixSeconds(createdAt(idFromUuid("req", first))),
    last_seen: unixSeconds(createdAt(newest)),
    last_request_id: newest,
  } satisfies RequestErrorGroup;
}
