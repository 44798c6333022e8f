import { idFromUuid, type PaymentMethodId, parseId, uuidOf } from "../../core/ids.ts";
import { namedId } from "../../platform/http/filter-ids.sql.ts";
import { testMethodByName, testMethodByUuid } from "./test-methods.ts";

/**
 * Parses a payment method ID: a TypeID or a fixed test name such as `pm_card_visa`. Postgres stores a UUID for both.
 */
export function parsePaymentMethodId(text: string): PaymentMethodId | null {
  return testMethodByName(text) ? (text as PaymentMethodId) : parseId("pm", text);
}

/** Parses the payment method ID of a list filter. Throws 400 for an invalid ID. */
export function namedPaymentMethod(text: string | undefined): PaymentMethodId | undefined {
  if (text !== undefined && testMethodByName(text)) return text as PaymentMethodId;
  return namedId("pm", text, "payment_method_id");
}

/** Returns the ID that a list filter must check for existence, or undefined for a fixed test name, which has no row. */
export function storedPaymentMethodFilter(
  id: PaymentMethodId | undefined,
): PaymentMethodId | undefined {
  return id && isFixedTestMethod(id) ? undefined : id;
}

/**
 * Returns whether the ID is a fixed test name. The index of charges by payment method omits charges with such an ID,
 * because nearly every test payment uses one.
 */
export function isFixedTestMethod(id: PaymentMethodId): boolean {
  return testMethodByName(id) !== null;
}

/** Returns the ID as a TypeID. For a fixed test name, returns the TypeID under which it is stored. */
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

/**
 * Returns whether the UUID at `start`, in the text form of Postgres, belongs to a fixed test name. The UUIDs of fixed
 * test names are below 01000000-0000-0000-0000-000000000000. Other payment methods have higher UUIDs, because these
 * begin with a time.
 */
export function isTestMethodUuid(memory: Uint8Array, start: number): boolean {
  return memory[start] === digit0 && memory[start + 1] === digit0;
}

const digit0 = 0x30;
