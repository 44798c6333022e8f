import {
  Charge,
  CountCharges,
  CreateCharge,
  DownloadCharges,
  ListCharges,
  UpdateCharge,
} from "@florin/contract/charge.ts";
import { Count, ListOf } from "@florin/contract/list.ts";
import type { MetadataChange } from "@florin/contract/metadata.ts";
import { storedPaymentMethodFilter } from "../../cards/payment-methods/payment-method-id.ts";
import { noSuch } from "../../core/api-error.ts";
import { type ChargeId, parseId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { csvDownload, csvOf } from "../../platform/http/download.ts";
import { rejectUnknownFilterIds } from "../../platform/http/filter-ids.sql.ts";
import { listBytes, type ObjectText, type Page, pageOf } from "../../platform/http/list.ts";
import {
  type ApiRequest,
  type ApiResponse,
  ok,
  okBytes,
  type Route,
  route,
} from "../../platform/http/route.ts";
import type { Links } from "../sessions/client-urls.ts";
import { withArchiveNote } from "./archived-charge.ts";
import type { Charge as StoredCharge } from "./charge.ts";
import type { ChargeDeps } from "./charge-deps.ts";
import { downloadHead, readDownloadPage } from "./charge-download.ts";
import { type ChargeFilter, chargeFilterOf } from "./charge-filter.ts";
import type { ReadCharges } from "./charge-list.sql.ts";
import { chargeText } from "./charge-text.ts";
import { cachedCharges, createChargeTextCache } from "./charge-text-cache.ts";
import { createChargeOnce } from "./create-charge.ts";
import { countCharges, findChargesAs } from "./find-charges.ts";
import { prepareCharge } from "./prepare-charge.ts";
import { renderedCharges } from "./rendered-charges.ts";
import { updateCharge } from "./update-charge.ts";

export function chargeRoutes(deps: ChargeDeps): Route[] {
  const { database, clock, idempotencyKeys, links } = deps;
  const texts = createChargeTextCache();

  return [
    route({
      method: "POST",
      path: "/charges",
      summary: "Create a charge",
      callsAcquirer: true,
      permission: "payments:write",
      body: CreateCharge,
      response: Charge,
      status: 201,
      async handle(request) {
        return createChargeOnce(deps, await prepareCharge(deps, request));
      },
    }),
    route({
      method: "GET",
      path: "/charges/:id",
      summary: "Retrieve a charge",
      permission: "payments:read",
      response: Charge,
      status: 200,
      async handle({ scope, params, permissions }) {
        return rendered(await find(scope, params.id as string), permissions);
      },
    }),
    route({
      method: "GET",
      path: "/charges",
      summary: "List charges",
      permission: "payments:read",
      query: ListCharges,
      response: ListOf(Charge, "/api/v1/charges"),
      status: 200,
      async handle({ scope, query, permissions }) {
        const page = pageOf(query, "ch");
        const isNewest = query.starting_after === undefined && query.ending_before === undefined;
        const shown = linksFor(permissions);
        const reading: ReadCharges<ObjectText> = isNewest
          ? cachedCharges(texts, database.readRows, scope, shown)
          : renderedCharges(database.readRows, scope, shown);
        const charges = await foundBy(reading, scope, chargeFilterOf(query), page);
        return okBytes(listBytes(charges, page, "/api/v1/charges"));
      },
    }),
    route({
      method: "GET",
      path: "/charges/count",
      summary: "Count charges",
      permission: "payments:read",
      query: CountCharges,
      response: Count,
      status: 200,
      scans: true,
      async handle({ scope, query }) {
        const page = pageOf(query, "ch");
        const counted = await countCharges(database.read, scope, chargeFilterOf(query), page);
        return ok({ object: "count", ...counted });
      },
    }),
    route({
      method: "GET",
      path: "/charges.csv",
      summary: "Download charges",
      permission: "payments:read",
      query: DownloadCharges,
      response: csvOf("charge", downloadHead),
      produces: ["text/csv"],
      status: 200,
      async handle({ scope, query }) {
        const filter = chargeFilterOf(query);
        return csvDownload(downloadHead, pageOf(query, "ch"), (page) =>
          readDownloadPage(database.readRows, page, (reading) =>
            foundBy(reading, scope, filter, page),
          ),
        );
      },
    }),
    route({
      method: "POST",
      path: "/charges/:id",
      summary: "Update a charge",
      permission: "payments:write",
      body: UpdateCharge,
      response: Charge,
      status: 200,
      handle: (request) => update(request),
    }),
  ];

  /**
   * Omits the challenge URL for callers without `payments:write`, because its holder can complete or cancel the
   * payment.
   */
  function linksFor(permissions: ApiRequest["permissions"]): Links | null {
    return permissions.has("payments:write") ? links : null;
  }

  function rendered(charge: StoredCharge, permissions: ApiRequest["permissions"]): ApiResponse {
    return { status: 200, body: chargeText(charge, linksFor(permissions)) };
  }

  async function find(scope: Scope, text: string): Promise<StoredCharge> {
    const id = idOf(text);
    const charge = await deps.reads.readCharge({ scope, id });
    if (!charge) throw await withArchiveNote(database.read, scope, id, noSuch("charge", text));
    return charge;
  }

  async function foundBy<Result>(
    reading: ReadCharges<Result>,
    scope: Scope,
    filter: ChargeFilter,
    page: Page,
  ): Promise<Result[]> {
    const found = await findChargesAs(reading, database.read, scope, filter, page);
    await rejectUnknownFilterIds(database.read, scope, found, {
      customer_id: filter.customerId,
      payment_method_id: storedPaymentMethodFilter(filter.paymentMethodId),
      checkout_session_id: filter.checkoutSessionId,
    });
    return found;
  }

  async function update(request: ApiRequest<UpdateCharge>) {
    const { scope, body, params, idempotency } = request;
    const id = idOf(params.id as string);
    return idempotencyKeys.runInTransaction(scope, idempotency, async (tx) => {
      const change: { description?: string | null; metadata?: MetadataChange } = body;
      return rendered(await updateCharge(tx, request, id, change, clock), request.permissions);
    });
  }
}

function idOf(text: string): ChargeId {
  const id = parseId("ch", text);
  if (!id) throw noSuch("charge", text);
  return id;
}
