import assert from "node:assert/strict";
import { type ChargeId, type OperationId, parseId } from "../core/ids.ts";

/**
 * Asserts that the reference is an ID of a charge or operation. Such an ID has no hyphen, at which Adyen would split
 * the reference. It is shorter than Adyen's limit of 80 characters and Checkout.com's limit of 50.
 */
export function safeReference(reference: ChargeId | OperationId): string {
  assert.ok(
    parseId("ch", reference) ?? parseId("op", reference),
    "The reference is not the ID of a charge or operation.",
  );
  return reference;
}

/** Returns an object with the field, or an empty object if the value is null or empty. */
export function present(name: string, value: string | null): Record<string, string> {
  return value === null || value === "" ? {} : { [name]: value };
}
