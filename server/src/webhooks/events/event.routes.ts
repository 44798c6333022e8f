import { Event, ListEvents } from "@florin/contract/event.ts";
import { ListOf } from "@florin/contract/list.ts";
import { noSuch } from "../../core/api-error.ts";
import type { Clock } from "../../core/clock.ts";
import { createdAt, firstUuidAt, parseId } from "../../core/ids.ts";
import type { Database } from "../../platform/database/database.ts";
import { listBytes, pageOf, typesOf } from "../../platform/http/list.ts";
import { okBytes, type Route, route } from "../../platform/http/route.ts";
import { listEventBodies, readEventBody } from "./event.sql.ts";
import { eventLifeMs } from "./event.ts";

export function eventRoutes({ database, clock }: { database: Database; clock: Clock }): Route[] {
  const oldest = (): Date => new Date(clock.now().getTime() - eventLifeMs);

  return [
    route({
      method: "GET",
      path: "/events/:id",
      summary: "Retrieve an event",
      permission: "events:read",
      response: Event,
      status: 200,
      async handle({ scope, params }) {
        const text = params.id as string;
        const id = parseId("evt", text);
        const found = id && createdAt(id) >= oldest();
        const body = found ? await readEventBody(database.read, scope, id) : null;
        if (!body) throw noSuch("event", text);
        return { status: 200, body };
      },
    }),
    route({
      method: "GET",
      path: "/events",
      summary: "List events",
      permission: "events:read",
      query: ListEvents,
      response: ListOf(Event, "/api/v1/events"),
      status: 200,
      async handle({ scope, query }) {
        const requested = pageOf(query, "evt");
        const from = firstUuidAt(oldest());
        const page = { ...requested, from: requested.from > from ? requested.from : from };
        const bodies = await listEventBodies(database.readRows, scope, typesOf(query), page);
        return okBytes(listBytes(bodies, page, "/api/v1/events"));
      },
    }),
  ];
}
