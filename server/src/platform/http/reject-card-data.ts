import type { TSchema } from "typebox";
import { ApiError } from "../../core/api-error.ts";
import { findCardData } from "../../core/card-data.ts";
import { findCardNumber } from "../../core/card-number-in-text.ts";

/**
 * Rejects a validated body or query that contains card data in any field except those that are encrypted before they
 * are stored.
 */
export function rejectCardData(schema: TSchema, value: unknown): void {
  const found = findCardData(value);
  if (!found) return;
  const encrypted = encryptedFields(schema);
  if (encrypted.length === 0) throw notAllowed(found.param);
  const { param } = findCardData(without(value, encrypted)) ?? {};
  if (param !== undefined) throw notAllowed(param);
}

export function rejectCardNumber(text: string, param: string): void {
  if (findCardNumber(text)) throw notAllowed(param);
}

/** Returns an error that names the parameter without its value. `renderError` masks a card number in the name. */
function notAllowed(param: string): ApiError {
  return new ApiError(
    "card_data_not_allowed",
    `\`${param}\` must not contain card data. Remove the card number or security code, and use the payment method's ID or the last four digits. Card data may be entered only in the card form.`,
    { param },
  );
}

/** Returns the members of the body that are encrypted before they are stored: card data and bank account numbers. */
function encryptedFields(schema: TSchema): string[] {
  const { properties = {} } = schema as { properties?: Readonly<Record<string, TSchema>> };
  return Object.entries(properties).flatMap(([name, property]) =>
    (property as { "x-florin"?: string })["x-florin"] === "encrypted" ? name : [],
  );
}

function without(value: unknown, names: readonly string[]): unknown {
  return Object.fromEntries(
    Object.entries(value as object).filter(([name]) => !names.includes(name)),
  );
}
