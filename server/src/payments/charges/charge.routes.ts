import {
  Charge,
  CreateCharge,
  DownloadCharges,
  ListCharges,
  UpdateCharge,
} from "@florin/contract/charge.ts";
import { ListOf } from "@florin/contract/list.ts";
import type { MetadataChange } from "@florin/contract/metadata.ts";
import Type from "typebox";
import { storedPaymentMethodFilter } from "../../cards/payment-methods/payment-method-id.ts";
import { noSuch } from "../../core/api-error.ts";
import { type ChargeId, parseId, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { rejectUnknownFilterIds } from "../../platform/http/filter-ids.sql.ts";
import { listPage, type Page, pageOf } from "../../platform/http/list.ts";
import { type ApiRequest, ok, type Route, route } from "../../platform/http/route.ts";
import { withArchiveNote } from "./archived-charge.ts";
import type { Charge as StoredCharge } from "./charge.ts";
import type { ChargeDeps } from "./charge-deps.ts";
import { downloadHead, downloadLine } from "./charge-download.ts";
import { type ChargeFilter, chargeFilterOf } from "./charge-filter.ts";
import { chargeObject } from "./charge-object.ts";
import { createChargeOnce } from "./create-charge.ts";
import { findCharges } from "./find-charges.ts";
import { prepareCharge } from "./prepare-charge.ts";
import { updateCharge } from "./update-charge.ts";

/** The number of charges that a download reads from the database at a time. */
const chargeBatchSize = 500;

export function chargeRoutes(deps: ChargeDeps): Route[] {
  const { database, idempotencyKeys, links } = deps;

  return [
    route({
      method: "POST",
      path: "/charges",
      summary: "Create a charge",
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
        return ok(shownTo(permissions)(await find(scope, params.id as string)));
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
        const charges = await foundBy(scope, chargeFilterOf(query), page);
        return ok(listPage(charges, page, "/api/v1/charges", shownTo(permissions)));
      },
    }),
    route({
      method: "GET",
      path: "/charges.csv",
      summary: "Download charges",
      permission: "payments:read",
      query: DownloadCharges,
      response: Type.String({
        description: "CSV with a header line and one line for each charge, newest first.",
        examples: [downloadHead],
      }),
      produces: "text/csv",
      status: 200,
      async handle({ scope, query }) {
        const pages = pagesToDownload(scope, query);
        // Reads the first page before the response starts, so that a failure can still return an error status.
        const first = await pages.next();
        const body = downloadHead + (first.done ? "" : first.value);
        return { status: 200, body, stream: pages, contentType: "text/csv; charset=utf-8" };
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

  /** Omits the challenge URL for callers without `payments:write`: with it they could complete or cancel a payment. */
  function shownTo(permissions: ApiRequest["permissions"]) {
    const shown = permissions.has("payments:write") ? links : null;
    return (charge: StoredCharge) => chargeObject(charge, shown);
  }

  async function find(scope: Scope, text: string): Promise<StoredCharge> {
    const id = idOf(text);
    const charge = await deps.reads.readCharge({ scope, id });
    if (!charge) throw await withArchiveNote(database.read, scope, id, noSuch("charge", text));
    return charge;
  }

  async function foundBy(scope: Scope, filter: ChargeFilter, page: Page): Promise<StoredCharge[]> {
    const found = await findCharges(database.read, scope, filter, page);
    await rejectUnknownFilterIds(database.read, scope, found, {
      customer_id: filter.customerId,
      payment_method_id: storedPaymentMethodFilter(filter.paymentMethodId),
      checkout_session_id: filter.checkoutSessionId,
    });
    return found;
  }

  /**
   * Yields the CSV lines of one page at a time. Reads the next page after the client has consumed the previous one, so
   * that at most one page is in memory.
   */
  async function* pagesToDownload(scope: Scope, query: DownloadCharges): AsyncGenerator<string> {
    const filter = chargeFilterOf(query);
    const limit = chargeBatchSize;
    for (let page = { ...pageOf(query, "ch"), limit }; ; ) {
      const found = await foundBy(scope, filter, page);
      const charges = found.slice(0, limit);
      yield charges.map((charge) => downloadLine(chargeObject(charge, null))).join("");
      const last = charges.at(-1);
      if (!last || found.length <= limit) return;
      page = { ...page, below: uuidOf(last.id) };
    }
  }

  async function update(request: ApiRequest<UpdateCharge>) {
    const { scope, body, params, idempotency } = request;
    const id = idOf(params.id as string);
    return idempotencyKeys.runInTransaction(scope, idempotency, async (tx) => {
      const change: { description?: string | null; metadata?: MetadataChange } = body;
      return ok(shownTo(request.permissions)(await updateCharge(tx, scope, id, change)));
    });
  }
}

function idOf(text: string): ChargeId {
  const id = parseId("ch", text);
  if (!id) throw noSuch("charge", text);
  return id;
}
