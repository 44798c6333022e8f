import { ListOf } from "@florin/contract/list.ts";
import {
  CreateListEntry,
  ListEntry,
  ListEntryDeleted,
  ListListEntries,
  listValues,
  maxListEntries,
} from "@florin/contract/list-entry.ts";
import { ApiError, noSuch } from "../core/api-error.ts";
import type { Clock } from "../core/clock.ts";
import { newId, parseId } from "../core/ids.ts";
import { recordPersonAction } from "../platform/audit/record-person-action.ts";
import type { Database } from "../platform/database/database.ts";
import { violates } from "../platform/database/sql.ts";
import { listPage, pageOf, valuesOf } from "../platform/http/list.ts";
import { rejectSchemaViolation } from "../platform/http/read-request.ts";
import { created, ok, type Route, route } from "../platform/http/route.ts";
import type { IdempotencyKeys } from "../platform/idempotency/idempotency.ts";
import {
  countListEntries,
  deleteListEntry,
  insertListEntry,
  listListEntries,
  readListEntry,
} from "./list-entry.sql.ts";
import {
  listEntryObject,
  plainValue,
  type ListEntry as StoredEntry,
  storedValues,
} from "./list-entry.ts";
import { incrementRevision } from "./rule-set.sql.ts";
import type { RuleSets } from "./rule-set.ts";

export function listEntryRoutes(deps: {
  database: Database;
  clock: Clock;
  idempotencyKeys: IdempotencyKeys;
  ruleSets: RuleSets;
}): Route[] {
  const { database, clock, idempotencyKeys, ruleSets } = deps;

  return [
    route({
      method: "POST",
      path: "/list_entries",
      summary: "Create a list entry",
      permission: "decisions:write",
      body: CreateListEntry,
      response: ListEntry,
      status: 201,
      async handle(request) {
        const { scope, body, idempotency } = request;
        const value = plainValue(body.attribute, body.value);
        rejectSchemaViolation(listValues[body.attribute], { value });
        const entry: StoredEntry = {
          id: newId("lst", clock.now()),
          scope,
          list: body.list,
          attribute: body.attribute,
          value,
          expiresAt: body.expires_at === undefined ? null : new Date(body.expires_at * 1000),
          description: body.description ?? null,
          metadata: body.metadata ?? {},
        };
        try {
          return await idempotencyKeys.runInTransaction(scope, idempotency, async (tx) => {
            await incrementRevision(tx, scope);
            if ((await countListEntries(tx, scope)) >= maxListEntries) throw tooMany();
            await insertListEntry(tx, entry);
            const { list, attribute, value } = entry;
            const after = { list, attribute, value };
            const act = { action: "list_entry.created", object: entry.id, after } as const;
            await recordPersonAction(tx, request, act, clock);
            return created(listEntryObject(entry));
          });
        } catch (error) {
          if (violates(error, "list_entries_value_unique")) throw alreadyOnList(entry);
          throw error;
        } finally {
          ruleSets.invalidate(scope);
        }
      },
    }),
    route({
      method: "GET",
      path: "/list_entries/:id",
      summary: "Retrieve a list entry",
      permission: "decisions:read",
      response: ListEntry,
      status: 200,
      async handle({ scope, params }) {
        const text = params.id as string;
        const id = parseId("lst", text);
        const entry = id && (await readListEntry(database.read, scope, id));
        if (!entry) throw noSuch("list entry", text);
        return ok(listEntryObject(entry));
      },
    }),
    route({
      method: "GET",
      path: "/list_entries",
      summary: "List the entries of the allow and block lists",
      permission: "decisions:read",
      query: ListListEntries,
      response: ListOf(ListEntry, "/api/v1/list_entries"),
      status: 200,
      async handle({ scope, query }) {
        const page = pageOf(query, "lst");
        const { list, attribute } = query;
        const { value: given } = query;
        const attributes = attribute === undefined ? [] : valuesOf(attribute);
        // Each attribute has a different normalization.
        const value =
          given === undefined || attributes.length === 0
            ? given
            : attributes.flatMap((one) => storedValues(one, given));
        const filter = { list, attribute, value };
        const entries = await listListEntries(database.read, scope, filter, page);
        return ok(listPage(entries, page, "/api/v1/list_entries", listEntryObject));
      },
    }),
    route({
      method: "DELETE",
      path: "/list_entries/:id",
      summary: "Delete a list entry",
      permission: "decisions:write",
      response: ListEntryDeleted,
      status: 200,
      async handle(request) {
        const { scope, params } = request;
        const text = params.id as string;
        const id = parseId("lst", text);
        await database.transactionOf(scope, async (tx) => {
          // Locks the revision before the entry, as the creation of an entry does, to prevent a deadlock.
          await incrementRevision(tx, scope);
          const entry = id && (await readListEntry(tx, scope, id));
          if (!entry || !(await deleteListEntry(tx, scope, entry.id))) {
            throw noSuch("list entry", text);
          }
          const { list, attribute, value } = entry;
          const before = { list, attribute, value };
          const act = { action: "list_entry.deleted", object: entry.id, before } as const;
          await recordPersonAction(tx, request, act, clock);
        });
        ruleSets.invalidate(scope);
        return ok({ id: text, object: "list_entry", deleted: true });
      },
    }),
  ];
}

function alreadyOnList({ list, attribute, value }: StoredEntry): ApiError {
  return new ApiError(
    "resource_already_exists",
    `The ${attribute} '${value}' is already on the ${list} list. Delete that entry to change it.`,
    { param: "value" },
  );
}

function tooMany(): ApiError {
  return new ApiError(
    "parameter_invalid",
    `The account has reached the maximum of ${maxListEntries} list entries. Delete entries, or cover many values with one rule.`,
    { param: "value" },
  );
}
