import { isObject, type JsonObject } from "@florin/shared-fake/json-object.ts";
import { type Amount, isCurrency } from "./amount.ts";
import { invalid, unreadable } from "./service-error.ts";

export function parseBody(body: Buffer): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch {
    // The message of the parser would quote the body, which can contain a card number.
    throw unreadable("Unexpected input: the body is not JSON");
  }
  if (!isObject(value)) throw unreadable("Unexpected input: the body is not a JSON object");
  return value;
}

/** Rejects fields that the schema does not have. */
export function assertKnownFields(
  structure: string,
  value: JsonObject,
  known: ReadonlySet<string>,
): void {
  const unknown = Object.keys(value).filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  const names = unknown.join(", ");
  throw invalid(
    "702",
    `Structure of ${structure} contains the following unknown fields: [${names}]`,
  );
}

/** Returns the text, or null for an absent field. Rejects other types. */
export function textField(value: JsonObject, name: string, maxLength: number): string | null {
  const text = value[name];
  if (text === undefined || text === null) return null;
  if (typeof text !== "string") throw invalid("702", `Field '${name}' is not a string.`);
  if (text.length > maxLength) {
    throw invalid("702", `Field '${name}' is longer than ${maxLength} characters.`);
  }
  return text;
}

export function objectField(value: JsonObject, name: string): JsonObject | null {
  const field = value[name];
  if (field === undefined || field === null) return null;
  if (!isObject(field)) throw invalid("702", `Field '${name}' is not an object.`);
  return field;
}

/** Returns one of the values, or null for an absent field. */
export function choiceField<Choice extends string>(
  value: JsonObject,
  name: string,
  choices: readonly Choice[],
): Choice | null {
  const text = textField(value, name, 100);
  if (text === null) return null;
  const choice = choices.find((entry) => entry === text);
  if (choice === undefined) throw invalid("702", `Field '${name}' has an unknown value.`);
  return choice;
}

const amountFields: ReadonlySet<string> = new Set(["currency", "value"]);

export function amountField(body: JsonObject, minimum: number): Amount {
  const amount = objectField(body, "amount");
  if (amount === null) throw invalid("100", "No amount specified");
  assertKnownFields("Amount", amount, amountFields);
  const { currency, value } = amount;
  if (typeof currency !== "string" || !isCurrency(currency)) {
    throw invalid("138", "Unsupported currency specified");
  }
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < minimum) {
    throw invalid("137", "Invalid amount specified");
  }
  return { currency, value };
}
