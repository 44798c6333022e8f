import { CreatePayout, ListPayouts, Payout } from "@florin/contract/balance.ts";
import { ListOf } from "@florin/contract/list.ts";
import { NoParameters } from "@florin/contract/no-parameters.ts";
import type { TestControls } from "../../acquiring/test-network.ts";
import { ApiError, noSuch } from "../../core/api-error.ts";
import { assertTestMode } from "../../core/assert-test-mode.ts";
import { parseId } from "../../core/ids.ts";
import { priceOf } from "../../core/money.ts";
import type { Scope } from "../../core/scope.ts";
import { auditEntryOf } from "../../platform/audit/audit-entry.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import { namedId } from "../../platform/http/filter-ids.sql.ts";
import { listPage, pageOf } from "../../platform/http/list.ts";
import { type ApiRequest, created, ok, type Route, route } from "../../platform/http/route.ts";
import { createPayout } from "./create-payout.ts";
import { type PayoutDeps, recordPayout } from "./payout.jobs.ts";
import { listPayouts, readPayout } from "./payout.sql.ts";
import { payoutObject, type Payout as StoredPayout } from "./payout.ts";

export function payoutRoutes(deps: PayoutDeps, bank: Pick<TestControls, "failPayout">): Route[] {
  const { database, clock, idempotencyKeys } = deps;

  return [
    route({
      method: "POST",
      path: "/payouts",
      summary: "Create a payout",
      permission: "payouts:write",
      stepUp: true,
      body: CreatePayout,
      response: Payout,
      status: 201,
      async handle(request) {
        const { scope, body, idempotency } = request;
        if (!deps.acquirers.payerOf(scope)?.payOut) throw paidByAcquirer();
        const { description = null, metadata = {} } = body;
        const requested = { scope, price: priceOf(body), description, metadata };
        return idempotencyKeys.runInTransaction(scope, idempotency, async (tx) => {
          const payout = await createPayout(tx, requested, clock.now());
          const { amount, currency } = body;
          const after = { amount, currency };
          const act = auditEntryOf(request, { action: "payout.created", object: payout.id, after });
          await recordAuditEntry(tx, act, clock);
          return created(payoutObject(payout));
        });
      },
    }),
    route({
      method: "GET",
      path: "/payouts/:id",
      summary: "Retrieve a payout",
      permission: "balance:read",
      response: Payout,
      status: 200,
      async handle({ scope, params }) {
        return ok(payoutObject(await find(scope, params.id as string)));
      },
    }),
    route({
      method: "GET",
      path: "/payouts",
      summary: "List payouts",
      permission: "balance:read",
      query: ListPayouts,
      response: ListOf(Payout, "/api/v1/payouts"),
      status: 200,
      async handle({ scope, query }) {
        const page = pageOf(query, "po");
        const { status, charge_id } = query;
        const charge = namedId("ch", charge_id, "charge_id");
        const payouts = await listPayouts(database.read, scope, { status, charge }, page);
        return ok(listPage(payouts, page, "/api/v1/payouts", payoutObject));
      },
    }),
    route({
      method: "POST",
      path: "/test_helpers/payouts/:id/fail",
      summary: "Simulate the failure of a payout",
      permission: "test_helpers:write",
      body: NoParameters,
      response: Payout,
      status: 200,
      storesResponse: true,
      handle: (request) => fail(request),
    }),
  ];

  async function find(scope: Scope, text: string): Promise<StoredPayout> {
    const id = parseId("po", text);
    const payout = id && (await readPayout(database.read, scope, id));
    if (!payout) throw noSuch("payout", text);
    return payout;
  }

  async function fail({ scope, params }: ApiRequest) {
    const payout = await find(scope, params.id as string);
    assertTestMode(scope);
    const which = { account: scope.account, reference: payout.id };
    const rejected = (why: string) =>
      new ApiError("status_transition_invalid", `The payout '${payout.id}' ${why}`, {
        param: "id",
      });
    if (payout.status !== "in_transit") {
      throw rejected(`is '${payout.status}'. It must be 'in_transit' to fail.`);
    }
    if (!(await bank.failPayout(which))) throw rejected("has just arrived and can no longer fail.");
    await recordPayout(deps, scope, payout.id, { kind: "failed" });
    return ok(payoutObject(await find(scope, payout.id)));
  }
}

function paidByAcquirer(): ApiError {
  return new ApiError(
    "payouts_not_allowed",
    "In live mode, the acquirer pays the balance directly to the bank account that is registered with the acquirer. You can create payouts in test mode only.",
  );
}
