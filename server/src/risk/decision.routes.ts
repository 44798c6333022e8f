import { CreateDecision, Decision, ListDecisions } from "@florin/contract/decision.ts";
import { ListOf } from "@florin/contract/list.ts";
import { assertAccepted, findProcessor, type ProcessorDeps } from "../acquiring/find-processor.ts";
import { findCustomer } from "../cards/customers/find-customer.ts";
import {
  namedPaymentMethod,
  storedPaymentMethodFilter,
} from "../cards/payment-methods/payment-method-id.ts";
import type { PaymentMethods } from "../cards/payment-methods/payment-methods.ts";
import { credentialUse, savedFor } from "../cards/payment-methods/purpose.ts";
import { noSuch, noSuchParameter } from "../core/api-error.ts";
import type { Clock } from "../core/clock.ts";
import { newId, parseId } from "../core/ids.ts";
import { priceOf } from "../core/money.ts";
import type { Database } from "../platform/database/database.ts";
import { namedId, rejectUnknownFilterIds } from "../platform/http/filter-ids.sql.ts";
import { listPage, pageOf } from "../platform/http/list.ts";
import { type ApiRequest, created, ok, type Route, route } from "../platform/http/route.ts";
import type { IdempotencyKeys } from "../platform/idempotency/idempotency.ts";
import { insertEvent } from "../webhooks/events/outbox.sql.ts";
import { insertDecision, listDecisions, readDecision } from "./decision.sql.ts";
import { decisionObject, expiryOf, type Decision as StoredDecision } from "./decision.ts";
import { reviewOpenedEvent } from "./review-opened-event.ts";
import type { RiskEngine } from "./risk-engine.ts";

type DecisionDeps = ProcessorDeps & {
  readonly database: Database;
  readonly clock: Clock;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly paymentMethods: PaymentMethods;
  readonly riskEngine: RiskEngine;
};

export function decisionRoutes(deps: DecisionDeps): Route[] {
  const { database, clock, idempotencyKeys, paymentMethods, riskEngine } = deps;

  return [
    route({
      method: "POST",
      path: "/decisions",
      summary: "Create a decision",
      permission: "decisions:write",
      body: CreateDecision,
      response: Decision,
      status: 201,
      async handle(request) {
        const decision = await decide(request);
        return idempotencyKeys.runInTransaction(request.scope, request.idempotency, async (tx) => {
          await insertDecision(tx, decision);
          const { id, idempotency } = request;
          const cause = { id, idempotencyKey: idempotency?.key ?? null };
          const now = clock.now();
          if (decision.review) {
            await insertEvent(tx, decision.scope, reviewOpenedEvent(decision, cause, now));
          }
          return created(decisionObject(decision, now));
        });
      },
    }),
    route({
      method: "GET",
      path: "/decisions/:id",
      summary: "Retrieve a decision",
      permission: "decisions:read",
      response: Decision,
      status: 200,
      async handle({ scope, params }) {
        const text = params.id as string;
        const id = parseId("dec", text);
        const decision = id && (await readDecision(database.read, scope, id));
        if (!decision) throw noSuch("decision", text);
        return ok(decisionObject(decision, clock.now()));
      },
    }),
    route({
      method: "GET",
      path: "/decisions",
      summary: "List decisions",
      permission: "decisions:read",
      query: ListDecisions,
      response: ListOf(Decision, "/api/v1/decisions"),
      status: 200,
      async handle({ scope, query }) {
        const page = pageOf(query, "dec");
        const filter = filterOf(query);
        const decisions = await listDecisions(database.read, scope, filter, page);
        await rejectUnknownFilterIds(database.read, scope, decisions, {
          payment_method_id: storedPaymentMethodFilter(filter.paymentMethodId),
          customer_id: filter.customerId,
        });
        const now = clock.now();
        return ok(
          listPage(decisions, page, "/api/v1/decisions", (decision) =>
            decisionObject(decision, now),
          ),
        );
      },
    }),
  ];

  async function decide({ scope, body }: ApiRequest<CreateDecision>): Promise<StoredDecision> {
    const price = priceOf(body);
    await assertAccepted(deps, scope, price);
    const method = await paymentMethods.find(scope, body.payment_method_id, null);
    // A wallet's token pays for its session only.
    if (method?.kind !== "card") {
      throw noSuchParameter("payment method", body.payment_method_id, "payment_method_id");
    }
    const id = newId("dec", clock.now());
    const metadata = body.metadata ?? {};
    const { card } = method;
    const { processor } = findProcessor(deps, scope, { key: id, price, card, metadata });
    const customerId = await findCustomer(database.read, scope, body.customer_id);
    const payer = customerId ?? savedFor(method.purpose);
    const use = credentialUse(method.purpose, false);
    const { verdict, ...assessment } = await riskEngine.assess({
      scope,
      price,
      card,
      traits: processor.lookUp(method.credentials, price, use),
      customerId: payer,
      offSession: false,
      sessionId: null,
      email: body.email ?? null,
      ip: body.ip ?? null,
      billingCountry: method.billingCountry,
      device: null,
    });
    return {
      id,
      scope,
      price,
      paymentMethodId: method.id,
      customerId: payer,
      ip: body.ip ?? null,
      email: body.email ?? null,
      metadata,
      ...assessment,
      outcome: verdict,
      review: verdict === "review" ? "open" : null,
      chargeId: null,
      chargeVersion: 0,
      threeDSecure: null,
      expiresAt: expiryOf(id),
      superseded: false,
    };
  }
}

function filterOf(query: ListDecisions) {
  return {
    paymentMethodId: namedPaymentMethod(query.payment_method_id),
    customerId: namedId("cus", query.customer_id, "customer_id"),
    outcome: query.outcome,
    review: query.review,
  };
}
