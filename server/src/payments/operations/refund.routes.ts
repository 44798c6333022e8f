import { ListOf, type OneOrMore } from "@florin/contract/list.ts";
import {
  CreateRefund,
  DownloadRefunds,
  ListRefunds,
  Refund,
  type RefundStatus,
} from "@florin/contract/refund.ts";
import { noSuch, noSuchParameter } from "../../core/api-error.ts";
import { type ChargeId, parseId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { amountCell, textCell, timeCell } from "../../platform/http/csv.ts";
import { csvDownload, csvOf, downloadTable } from "../../platform/http/download.ts";
import { namedId, rejectUnknownFilterIds } from "../../platform/http/filter-ids.sql.ts";
import { listPage, type Page, pageOf } from "../../platform/http/list.ts";
import { type ApiRequest, ok, type Route, route } from "../../platform/http/route.ts";
import { withArchiveNote } from "../charges/archived-charge.ts";
import { listOperations, readOperation } from "./operation.sql.ts";
import type { Operation } from "./operation.ts";
import type { OperationDeps } from "./operation-deps.ts";
import { operationIdOf, refundObject } from "./refund.ts";
import { runOperation } from "./run-operation.ts";

const download = downloadTable(refundObject, {
  id: ({ id }) => id,
  created: ({ created }) => timeCell(created),
  status: ({ status }) => status,
  currency: ({ currency }) => currency,
  amount: ({ amount, currency }) => amountCell(amount, currency),
  reason: ({ reason }) => reason ?? "",
  failure_reason: ({ failure_reason }) => failure_reason ?? "",
  charge_id: ({ charge_id }) => charge_id,
  metadata: ({ metadata }) => textCell(JSON.stringify(metadata)),
});

export function refundRoutes(deps: OperationDeps): Route[] {
  const { database } = deps;

  return [
    route({
      method: "POST",
      path: "/refunds",
      summary: "Refund a charge",
      permission: "refunds:write",
      body: CreateRefund,
      response: Refund,
      status: 201,
      handle: (request) => create(request),
    }),
    route({
      method: "GET",
      path: "/refunds/:id",
      summary: "Retrieve a refund",
      permission: "payments:read",
      response: Refund,
      status: 200,
      async handle({ scope, params }) {
        const text = params.id as string;
        const id = parseId("re", text);
        const refund = id && (await readOperation(database.read, scope, operationIdOf(id)));
        if (refund?.kind !== "refund") {
          const missing = noSuch("refund", text);
          throw id ? await withArchiveNote(database.read, scope, id, missing) : missing;
        }
        return ok(refundObject(refund));
      },
    }),
    route({
      method: "GET",
      path: "/refunds",
      summary: "List refunds",
      permission: "payments:read",
      query: ListRefunds,
      response: ListOf(Refund, "/api/v1/refunds"),
      status: 200,
      async handle({ scope, query }) {
        const page = pageOf(query, "re");
        const refunds = await readRefunds(scope, filterOf(query), page);
        return ok(listPage(refunds, page, "/api/v1/refunds", refundObject));
      },
    }),
    route({
      method: "GET",
      path: "/refunds.csv",
      summary: "Download refunds",
      permission: "payments:read",
      query: DownloadRefunds,
      response: csvOf("refund", download.head),
      produces: ["text/csv"],
      status: 200,
      async handle({ scope, query }) {
        const filter = filterOf(query);
        return csvDownload(download.head, pageOf(query, "re"), async (page) =>
          download.pageOf(await readRefunds(scope, filter, page), page),
        );
      },
    }),
  ];

  async function readRefunds(scope: Scope, filter: RefundFilter, page: Page): Promise<Operation[]> {
    const refunds = await listOperations(database.read, scope, filter, page);
    await rejectUnknownFilterIds(database.read, scope, refunds, { charge_id: filter.chargeId });
    return refunds;
  }

  async function create(request: ApiRequest<CreateRefund>) {
    const { scope, body } = request;
    return runOperation(deps, {
      scope,
      kind: "refund",
      chargeId: idOf(body.charge_id),
      amountMinor: body.amount ?? null,
      reason: body.reason ?? null,
      metadata: body.metadata ?? {},
      request,
      noSuchCharge: noSuchParameter("charge", body.charge_id, "charge_id"),
    });
  }
}

function idOf(text: string): ChargeId {
  const id = parseId("ch", text);
  if (!id) throw noSuchParameter("charge", text, "charge_id");
  return id;
}

type RefundFilter = ReturnType<typeof filterOf>;

function filterOf(query: Pick<ListRefunds, "charge_id" | "status">) {
  const chargeId = namedId("ch", query.charge_id, "charge_id");
  return { kind: "refund", chargeId, statuses: statusesOf(query.status) } as const;
}

/** Returns the statuses of the operations that `refundObject` shows with these statuses. */
function statusesOf(given: OneOrMore<RefundStatus> | undefined): Operation["status"][] | undefined {
  return given && [given].flat().map((one) => (one === "pending" ? "processing" : one));
}
