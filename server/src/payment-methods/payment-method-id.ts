import { namedId } from "../http/named.sql.ts";
import { idFromUuid, type PaymentMethodId, parseId, uuidOf } from "../primitives/ids.ts";
import { testMethodByName, testMethodByUuid } from "./test-methods.ts";

/**
 * A payment method's id on the wire is a TypeID, or in test mode one of the fixed names (`pm_card_visa`).
 * Postgres keeps a uuid for either.
 */
export function parsePaymentMethodId(text: string): PaymentMethodId | null {
  return testMethodByName(text) ? (text as PaymentMethodId) : parseId("pm", text);
}

/** The payment method that a list is filtered by, or 400 for what is no name of one. */
export function namedPaymentMethod(text: string | undefined): PaymentMethodId | undefined {
  if (text !== undefined && testMethodByName(text)) return text as PaymentMethodId;
  return namedId("pm", text, "payment_method_id");
}

/** Where a list is filtered by it: the id that must be kept somewhere, which a fixed name need not. */
export function keptPaymentMethod(id: PaymentMethodId | undefined): PaymentMethodId | undefined {
  return id && isFixedTestMethod(id) ? undefined : id;
}

/** Whether it is one of the fixed names, which nearly every test payment has and no index knows. */
export function isFixedTestMethod(id: PaymentMethodId): boolean {
  return testMethodByName(id) !== null;
}

/** The id in the form of all others, under which a fixed name is kept. */
export function storedPaymentMethodId(id: PaymentMethodId): PaymentMethodId {
  return testMethodByName(id)?.id ?? id;
}

export function paymentMethodUuid(id: PaymentMethodId): string {
  return uuidOf(storedPaymentMethodId(id));
}

export function paymentMethodIdFromUuid(uuid: string): PaymentMethodId {
  const method = testMethodByUuid(uuid);
  return method ? (method.name as PaymentMethodId) : idFromUuid("pm", uuid);
}
