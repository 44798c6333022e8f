import { Event, ListEvents } from "@florin/contract/event.ts";
import { ListOf } from "@florin/contract/list.ts";
import { noSuch } from "../../core/api-error.ts";
import type { Clock } from "../../core/clock.ts";
import { createdAt, firstUuidAt, parseId } from "../../core/ids.ts";
import type { Database } from "../../platform/database/database.ts";
import { listBytes, pageOf, typesOf, valuesOf } from "../../platform/http/list.ts";
import { okBytes, type Route, route } from "../../platform/http/route.ts";
import { listEventBodies, readEvent } from "./event.sql.ts";
import { eventLifeMs } from "./event.ts";
import { assertEventReadable, readableEventTypes } from "./readable-event-types.ts";

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
      async handle({ scope, params, actor, permissions }) {
        const text = params.id as string;
        const id = parseId("evt", text);
        const isKept = id && createdAt(id) >= oldest();
        const found = isKept ? await readEvent(database.read, scope, id) : null;
        if (!found) throw noSuch("event", text);
        assertEventReadable({ actor, permissions }, found.type);
        return { status: 200, body: found.body };
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
      async handle({ scope, query, actor, permissions }) {
        const given = typesOf(query);
        const types = readableEventTypes(
          { actor, permissions },
          given === undefined ? null : valuesOf(given),
        );
        const requested = pageOf(query, "evt");
        const from = firstUuidAt(oldest());
        const page = { ...requested, from: requested.from > from ? requested.from : from };
        const bodies = await listEventBodies(database.readRows, scope, types ?? undefined, page);
        return okBytes(listBytes(bodies, page, "/api/v1/events"));
      },
    }),
  ];
}
