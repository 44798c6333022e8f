import assert from "node:assert/strict";
import { type AttemptId, type OperationId, parseId } from "../core/ids.ts";

/**
 * Asserts that the reference is an ID of a charge, card verification or operation. Such an ID has no hyphen, at which
 * Adyen would split the reference. It is shorter than Adyen's limit of 80 characters and Checkout.com's limit of 50.
 */
export function safeReference(reference: AttemptId | OperationId): string {
  assert.ok(
    parseReference(reference),
    "The reference is not the ID of a charge, card verification or operation.",
  );
  return reference;
}

/** Parses a reference that an acquirer returned. Returns null if it does not come from Florin. */
export function parseReference(text: string): AttemptId | OperationId | null {
  return parseId("ch", text) ?? parseId("op", text) ?? parseId("cv", text);
}

/** Returns an object with the field, or an empty object if the value is null or empty. */
export function present(name: string, value: string | null): Record<string, string> {
  return value === null || value === "" ? {} : { [name]: value };
}
