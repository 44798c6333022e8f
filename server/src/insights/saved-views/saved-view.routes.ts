import { ListOf } from "@florin/contract/list.ts";
import {
  CreateSavedView,
  ListSavedViews,
  maxSavedViews,
  SavedView,
  SavedViewDeleted,
  UpdateSavedView,
} from "@florin/contract/saved-view.ts";
import { ApiError, noSuch } from "../../core/api-error.ts";
import type { Clock } from "../../core/clock.ts";
import { newId, parseId, type SavedViewId } from "../../core/ids.ts";
import type { Database } from "../../platform/database/database.ts";
import { listPage, pageOf } from "../../platform/http/list.ts";
import { created, ok, type Route, route } from "../../platform/http/route.ts";
import type { IdempotencyKeys } from "../../platform/idempotency/idempotency.ts";
import {
  countSavedViews,
  deleteSavedView,
  insertSavedView,
  listSavedViews,
  updateSavedView,
} from "./saved-view.sql.ts";
import { savedViewObject } from "./saved-view.ts";

const readPermission = "payments:read";
/** The team shares its views, so a caller that can only read payments must not change them. */
const writePermission = "payments:write";

export function savedViewRoutes(deps: {
  database: Database;
  clock: Clock;
  idempotencyKeys: IdempotencyKeys;
}): Route[] {
  const { database, clock, idempotencyKeys } = deps;
  const url = "/api/v1/saved_views";

  return [
    route({
      method: "POST",
      path: "/saved_views",
      summary: "Create a saved view",
      permission: writePermission,
      body: CreateSavedView,
      response: SavedView,
      status: 201,
      async handle({ scope, body, idempotency }) {
        const view = { id: newId("view", clock.now()), scope, ...body };
        return idempotencyKeys.runInTransaction(scope, idempotency, async (tx) => {
          if ((await countSavedViews(tx, scope)) >= maxSavedViews) throw tooMany();
          await insertSavedView(tx, view);
          return created(savedViewObject(view));
        });
      },
    }),
    route({
      method: "GET",
      path: "/saved_views",
      summary: "List saved views",
      permission: readPermission,
      query: ListSavedViews,
      response: ListOf(SavedView, url),
      status: 200,
      async handle({ scope, query }) {
        const page = pageOf(query, "view");
        const views = await listSavedViews(database.read, scope, page);
        return ok(listPage(views, page, url, savedViewObject));
      },
    }),
    route({
      method: "POST",
      path: "/saved_views/:id",
      summary: "Update a saved view",
      permission: writePermission,
      body: UpdateSavedView,
      response: SavedView,
      status: 200,
      async handle({ scope, params, body, idempotency }) {
        const id = idOf(params.id as string);
        const change = { name: body.name ?? null, query: body.query ?? null };
        return idempotencyKeys.runInTransaction(scope, idempotency, async (tx) => {
          const view = await updateSavedView(tx, scope, id, change);
          if (!view) throw noSuch("saved view", id);
          return ok(savedViewObject(view));
        });
      },
    }),
    route({
      method: "DELETE",
      path: "/saved_views/:id",
      summary: "Delete a saved view",
      permission: writePermission,
      response: SavedViewDeleted,
      status: 200,
      async handle({ scope, params }) {
        const id = idOf(params.id as string);
        await database.transactionOf(scope, async (tx) => {
          if (!(await deleteSavedView(tx, scope, id))) throw noSuch("saved view", id);
        });
        return ok({ id, object: "saved_view", deleted: true });
      },
    }),
  ];
}

function idOf(text: string): SavedViewId {
  const id = parseId("view", text);
  if (!id) throw noSuch("saved view", text);
  return id;
}

function tooMany(): ApiError {
  return new ApiError(
    "parameter_invalid",
    `The account has reached the maximum of ${maxSavedViews} saved views. Delete one first.`,
    { param: "name" },
  );
}
