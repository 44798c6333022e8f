import { Charge, CreateCharge, ListCharges, UpdateCharge } from "@florin/contract/charge.ts";
import { ListOf } from "@florin/contract/list.ts";
import type { MetadataChange } from "@florin/contract/metadata.ts";
import { listPage, pageOf } from "../http/list.ts";
import { type ApiRequest, ok, type Route, route } from "../http/route.ts";
import { noSuch } from "../primitives/api-error.ts";
import { type ChargeId, parseId } from "../primitives/ids.ts";
import type { Owner } from "../primitives/owner.ts";
import { readCharge } from "./charge.sql.ts";
import type { Charge as StoredCharge } from "./charge.ts";
import type { ChargeDeps } from "./charge-deps.ts";
import { chargeFilterOf } from "./charge-filter.ts";
import { chargeObject } from "./charge-object.ts";
import { createChargeOnce } from "./create-charge.ts";
import { findCharges } from "./find-charges.ts";
import { prepareCharge } from "./prepare-charge.ts";
import { updateCharge } from "./update-charge.ts";

export function chargeRoutes(deps: ChargeDeps): Route[] {
  const { database, idempotencyKeys, links } = deps;

  return [
    route({
      method: "POST",
      path: "/charges",
      summary: "Create a charge",
      permission: "payments:write",
      body: CreateCharge,
      answer: Charge,
      status: 201,
      async handle(request) {
        return createChargeOnce(deps, await prepareCharge(deps, request));
      },
    }),
    route({
      method: "GET",
      path: "/charges/:id",
      summary: "Read a charge",
      permission: "payments:read",
      answer: Charge,
      status: 200,
      async handle({ owner, params }) {
        return ok(chargeObject(await find(owner, params.id as string), links));
      },
    }),
    route({
      method: "GET",
      path: "/charges",
      summary: "List charges",
      permission: "payments:read",
      query: ListCharges,
      answer: ListOf(Charge, "/api/v1/charges"),
      status: 200,
      async handle({ owner, query }) {
        const page = pageOf(query, "ch");
        const charges = await findCharges(database.read, owner, chargeFilterOf(query), page);
        return ok(
          listPage(charges, page, "/api/v1/charges", (charge) => chargeObject(charge, links)),
        );
      },
    }),
    route({
      method: "POST",
      path: "/charges/:id",
      summary: "Update a charge",
      permission: "payments:write",
      body: UpdateCharge,
      answer: Charge,
      status: 200,
      handle: (request) => update(request),
    }),
  ];

  async function find(owner: Owner, text: string): Promise<StoredCharge> {
    const charge = await readCharge(database.read, owner, idOf(text));
    if (!charge) throw noSuch("charge", text);
    return charge;
  }

  async function update(request: ApiRequest<UpdateCharge>) {
    const { owner, body, params, idempotency } = request;
    const id = idOf(params.id as string);
    return idempotencyKeys.once(owner, idempotency, async (tx) => {
      const change: { description?: string | null; metadata?: MetadataChange } = body;
      return ok(chargeObject(await updateCharge(tx, owner, id, change), links));
    });
  }
}

function idOf(text: string): ChargeId {
  const id = parseId("ch", text);
  if (!id) throw noSuch("charge", text);
  return id;
}
