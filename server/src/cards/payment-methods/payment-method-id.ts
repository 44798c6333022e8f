import { idFromUuid, type PaymentMethodId, parseId, uuidOf } from "../../core/ids.ts";
import { namedId } from "../../platform/http/filter-ids.sql.ts";
import { testMethodByName, testMethodByUuid } from "./test-methods.ts";

/**
 * Parses a payment method ID: a TypeID or, in test mode, a fixed name (`pm_card_visa`). Postgres stores a UUID for
 * both.
 */
export function parsePaymentMethodId(text: string): PaymentMethodId | null {
  return testMethodByName(text) ? (text as PaymentMethodId) : parseId("pm", text);
}

/** Returns the payment method that filters a list. Throws 400 for an invalid ID. */
export function namedPaymentMethod(text: string | undefined): PaymentMethodId | undefined {
  if (text !== undefined && testMethodByName(text)) return text as PaymentMethodId;
  return namedId("pm", text, "payment_method_id");
}

/** Returns the ID that must exist when it filters a list. A fixed name has no row. */
export function keptPaymentMethod(id: PaymentMethodId | undefined): PaymentMethodId | undefined {
  return id && isFixedTestMethod(id) ? undefined : id;
}

/**
 * Returns whether this is a fixed name. Nearly every test payment uses one, so the index on payment methods does not
 * contain them.
 */
export function isFixedTestMethod(id: PaymentMethodId): boolean {
  return testMethodByName(id) !== null;
}

/** Returns the ID in TypeID form, under which a fixed name is stored. */
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
