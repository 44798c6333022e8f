import { ListOf } from "@florin/contract/list.ts";
import {
  CreateReconciliation,
  ListDifferences,
  ListReconciliations,
  Reconciliation,
  ReconciliationDifference,
} from "@florin/contract/reconciliation.ts";
import { ApiError, noSuch } from "../core/api-error.ts";
import { parseId } from "../core/ids.ts";
import { dayOf, isDay } from "../core/utc-day.ts";
import { namedId, rejectUnknownFilterIds } from "../platform/http/filter-ids.sql.ts";
import { listPage, pageOf } from "../platform/http/list.ts";
import { createMerchantConcurrency } from "../platform/http/merchant-concurrency.ts";
import { type ApiRequest, created, ok, type Route, route } from "../platform/http/route.ts";
import type { IdempotencyKeys } from "../platform/idempotency/idempotency.ts";
import { listDifferences } from "./difference.sql.ts";
import { differenceObject } from "./difference.ts";
import { reconcileDay } from "./reconcile-day.ts";
import type { ReconciliationDeps } from "./reconciliation.jobs.ts";
import { listReconciliations, readReconciliation } from "./reconciliation.sql.ts";
import { reconciliationObject } from "./reconciliation.ts";

export function reconciliationRoutes(
  deps: ReconciliationDeps & { readonly idempotencyKeys: IdempotencyKeys },
): Route[] {
  const { database } = deps;
  const url = "/api/v1/reconciliations";
  const differencesUrl = "/api/v1/reconciliation_differences";
  // Runs one request per merchant and mode at a time, so that a merchant's concurrent requests use only one database
  // connection. The number of waiting requests is limited, because a day with many payments takes seconds. A day is
  // reconciled even if the client has disconnected.
  const limitPerMerchant = createMerchantConcurrency({ maxRunning: 1, maxWaiting: 20 });

  return [
    route({
      method: "POST",
      path: "/reconciliations",
      summary: "Reconcile a day",
      permission: "payouts:write",
      body: CreateReconciliation,
      response: Reconciliation,
      status: 201,
      handle: (request) => reconcile(request),
    }),
    route({
      method: "GET",
      path: "/reconciliations/:id",
      summary: "Retrieve a reconciliation",
      permission: "balance:read",
      response: Reconciliation,
      status: 200,
      async handle({ scope, params }) {
        const text = params.id as string;
        const id = parseId("rec", text);
        const found = id && (await readReconciliation(database.read, scope, id));
        if (!found) throw noSuch("reconciliation", text);
        return ok(reconciliationObject(found));
      },
    }),
    route({
      method: "GET",
      path: "/reconciliations",
      summary: "List reconciliations",
      permission: "balance:read",
      query: ListReconciliations,
      response: ListOf(Reconciliation, url),
      status: 200,
      async handle({ scope, query }) {
        const page = pageOf(query, "rec");
        const rows = await listReconciliations(database.read, scope, query.status, page);
        return ok(listPage(rows, page, url, reconciliationObject));
      },
    }),
    route({
      method: "GET",
      path: "/reconciliation_differences",
      summary: "List differences",
      permission: "balance:read",
      query: ListDifferences,
      response: ListOf(ReconciliationDifference, differencesUrl),
      status: 200,
      async handle({ scope, query }) {
        const { reconciliation_id, status, kind } = query;
        const reconciliation = namedId("rec", reconciliation_id, "reconciliation_id");
        const page = pageOf(query, "dif");
        const filter = { reconciliation, status, kind };
        const rows = await listDifferences(database.read, scope, filter, page);
        const named = { reconciliation_id: reconciliation };
        await rejectUnknownFilterIds(database.read, scope, rows, named);
        return ok(listPage(rows, page, differencesUrl, differenceObject));
      },
    }),
  ];

  /**
   * Claims the idempotency key only when it stores the response. A concurrent retry may therefore reconcile again,
   * which has no further effect.
   */
  async function reconcile({ scope, body, idempotency }: ApiRequest<CreateReconciliation>) {
    rejectDay(body.day, deps.clock.now());
    const processor = deps.settlementsOf(scope);
    if (!processor) throw notAssigned();
    const made = await limitPerMerchant(`${scope.account} ${scope.livemode}`, () =>
      reconcileDay(deps, processor, scope, body.day),
    );
    return deps.idempotencyKeys.runInTransaction(scope, idempotency, async () =>
      created(reconciliationObject(made)),
    );
  }
}

function rejectDay(day: string, now: Date): void {
  const today = dayOf(now);
  if (isDay(day) && day <= today) return;
  throw new ApiError(
    "parameter_invalid",
    `\`day\` must be a date such as '2026-01-31', today or earlier. Got '${day}'. Today is ${today}, in UTC.`,
    { param: "day" },
  );
}

function notAssigned(): ApiError {
  return new ApiError(
    "connector_not_configured",
    "No acquirer has been assigned to the account in live mode, so there is no settlement to reconcile. Ask the operator of the service to assign an acquirer.",
  );
}
