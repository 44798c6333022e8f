import {
  AttachPaymentMethod,
  maxSavedCards,
  PaymentMethod,
} from "@florin/contract/payment-method.ts";
import { ApiError, noSuch, noSuchParameter } from "../../core/api-error.ts";
import type { Clock } from "../../core/clock.ts";
import { type CustomerId, parseId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { recordPersonAction } from "../../platform/audit/record-person-action.ts";
import type { Database } from "../../platform/database/database.ts";
import { ok, type Route, route } from "../../platform/http/route.ts";
import type { IdempotencyKeys } from "../../platform/idempotency/idempotency.ts";
import type { Vault } from "../../vault/vault.ts";
import { unexpectedState } from "../payment-methods/detach-payment-method.ts";
import { encryptTestMethod } from "../payment-methods/encrypt-test-method.ts";
import {
  countSavedCards,
  insertPaymentMethod,
  readPaymentMethod,
} from "../payment-methods/payment-method.sql.ts";
import { paymentMethodObject } from "../payment-methods/payment-method.ts";
import { testMethodByName } from "../payment-methods/test-methods.ts";
import { lockCustomer } from "./customer.sql.ts";

/**
 * Serves the endpoint that attaches a payment method to a customer. It returns a payment method that is already saved
 * for the customer and rejects every other one, because the cardholder must consent in the card form. In test mode it
 * also accepts a fixed test name, and saves its card as a new payment method.
 */
export function attachRoutes(deps: {
  database: Database;
  clock: Clock;
  vault: Vault;
  idempotencyKeys: IdempotencyKeys;
}): Route[] {
  const { database, clock, vault, idempotencyKeys } = deps;

  return [
    route({
      method: "POST",
      path: "/payment_methods/:id/attach",
      summary: "Save a test card for a customer",
      permission: "customers:write",
      body: AttachPaymentMethod,
      response: PaymentMethod,
      status: 200,
      async handle(request) {
        const { scope, params, body, idempotency } = request;
        const text = params.id as string;
        const customer = parseId("cus", body.customer_id);
        const method = scope.livemode ? null : testMethodByName(text);
        if (!method) return attached(scope, text, body.customer_id);
        const made = customer && (await encryptTestMethod(deps, scope, method, customer));
        if (!made) throw noSuchParameter("customer", body.customer_id, "customer_id");
        return idempotencyKeys.runInTransaction(scope, idempotency, async (tx) => {
          // The lock prevents a concurrent deletion of the customer. It also prevents concurrent requests from
          // exceeding the card limit.
          if (!(await lockCustomer(tx, scope, customer))) {
            throw noSuchParameter("customer", customer, "customer_id");
          }
          if ((await countSavedCards(tx, scope, customer)) >= maxSavedCards)
            throw tooMany(customer);
          await vault.store(tx, made.encrypted);
          await insertPaymentMethod(tx, made.method);
          const { id } = made.method;
          const entry = {
            action: "payment_method.attached",
            object: id,
            after: { customer },
          } as const;
          await recordPersonAction(tx, request, entry, clock);
          return ok(paymentMethodObject(made.method));
        });
      },
    }),
  ];

  /**
   * Returns the payment method if it is already saved for the customer. Throws for any other payment method, because
   * only the cardholder can consent to saving a card, in the card form.
   */
  async function attached(scope: Scope, text: string, customer: string) {
    const id = parseId("pm", text);
    const method = id && (await readPaymentMethod(database.read, scope, id));
    if (!method) throw noSuch("payment method", text);
    if (method.customerId === customer) return ok(paymentMethodObject(method));
    throw unexpectedState(
      `The payment method '${text}' is not saved for '${customer}'. Only the cardholder can save a card: create a checkout session with \`save_payment_method\` or in mode \`setup\`.`,
    );
  }
}

function tooMany(customer: CustomerId): ApiError {
  return new ApiError(
    "customer_max_payment_methods",
    `The customer '${customer}' has reached the maximum of ${maxSavedCards} saved cards. Detach one first.`,
    { param: "customer_id" },
  );
}
