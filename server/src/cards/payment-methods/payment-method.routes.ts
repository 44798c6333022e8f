import { ListOf } from "@florin/contract/list.ts";
import { NoParameters } from "@florin/contract/no-parameters.ts";
import { ListPaymentMethods, PaymentMethod } from "@florin/contract/payment-method.ts";
import { noSuch } from "../../core/api-error.ts";
import type { Clock } from "../../core/clock.ts";
import { type PaymentMethodId, parseId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { recordPersonAction } from "../../platform/audit/record-person-action.ts";
import type { Database } from "../../platform/database/database.ts";
import { namedId, rejectUnknownFilterIds } from "../../platform/http/filter-ids.sql.ts";
import { listPage, pageOf } from "../../platform/http/list.ts";
import { ok, type Route, route } from "../../platform/http/route.ts";
import type { IdempotencyKeys } from "../../platform/idempotency/idempotency.ts";
import type { Vault } from "../../vault/vault.ts";
import { detach, unexpectedState } from "./detach-payment-method.ts";
import { listPaymentMethods, readPaymentMethod } from "./payment-method.sql.ts";
import { paymentMethodObject } from "./payment-method.ts";
import { showTestCard } from "./payment-methods.ts";
import { testMethodByName } from "./test-methods.ts";

export function paymentMethodRoutes(deps: {
  database: Database;
  vault: Vault;
  clock: Clock;
  idempotencyKeys: IdempotencyKeys;
}): Route[] {
  const { database, vault, clock, idempotencyKeys } = deps;

  return [
    route({
      method: "GET",
      path: "/payment_methods/:id",
      summary: "Retrieve a payment method",
      permission: "customers:read",
      response: PaymentMethod,
      status: 200,
      async handle({ scope, params }) {
        const text = params.id as string;
        const shown = (await testMethod(scope, text)) ?? (await storedMethod(scope, text));
        if (!shown) throw noSuch("payment method", text);
        return ok(shown);
      },
    }),
    route({
      method: "GET",
      path: "/payment_methods",
      summary: "List payment methods",
      permission: "customers:read",
      query: ListPaymentMethods,
      response: ListOf(PaymentMethod, "/api/v1/payment_methods"),
      status: 200,
      async handle({ scope, query }) {
        const customer = namedId("cus", query.customer_id, "customer_id");
        const page = pageOf(query, "pm");
        const before = monthOf(query.expires_before);
        const methods = await listPaymentMethods(database.read, scope, page, {
          customer,
          expiresBefore: before,
          updateRequired: query.update_required === true,
        });
        await rejectUnknownFilterIds(database.read, scope, methods, { customer_id: customer });
        return ok(
          listPage(methods, page, "/api/v1/payment_methods", (method) =>
            paymentMethodObject(method),
          ),
        );
      },
    }),
    route({
      method: "POST",
      path: "/payment_methods/:id/detach",
      summary: "Detach a saved card from its customer and erase it",
      permission: "customers:write",
      body: NoParameters,
      response: PaymentMethod,
      status: 200,
      async handle(request) {
        const { scope, params, idempotency } = request;
        const text = params.id as string;
        if (!scope.livemode && testMethodByName(text)) {
          throw unexpectedState(
            `'${text}' is the fixed name of a test payment method and cannot be detached. Detach a payment method from the card form, or one that you attached to a customer.`,
          );
        }
        const id = parseId("pm", text);
        if (!id) throw noSuch("payment method", text);
        return idempotencyKeys.runInTransaction(scope, idempotency, async (tx) => {
          const detached = await detach(tx, vault, scope, id, clock.now());
          const entry = { action: "payment_method.detached", object: id } as const;
          await recordPersonAction(tx, request, entry, clock);
          return ok(paymentMethodObject(detached));
        });
      },
    }),
  ];

  async function storedMethod(scope: Scope, text: string) {
    const id = parseId("pm", text);
    const method = id && (await readPaymentMethod(database.read, scope, id));
    return method && paymentMethodObject(method);
  }

  /** Returns the payment method of a fixed test name, which exists in the test mode of every account. */
  async function testMethod(scope: Scope, text: string) {
    const method = scope.livemode ? null : testMethodByName(text);
    if (!method) return null;
    const card = await showTestCard(vault, scope, method, clock.now());
    const id = method.name as PaymentMethodId;
    return paymentMethodObject(
      {
        id,
        scope,
        customerId: null,
        checkoutSessionId: null,
        consentedAt: null,
        networkTransactionId: null,
        verificationId: null,
        updateRequired: null,
        billingCountry: null,
        assignmentId: null,
        card,
        metadata: {},
        detachedAt: null,
      },
      new Date(0),
    );
  }
}

function monthOf(text: string | undefined): { year: number; month: number } | null {
  if (text === undefined) return null;
  const [year, month] = text.split("-").map(Number) as [number, number];
  return { year, month };
}
