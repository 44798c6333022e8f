import type { TSchema } from "typebox";
import { Compile } from "typebox/schema";
import type { ErrorCode } from "./errors.ts";
import { metadataLimits } from "./metadata.ts";
import { nearestName } from "./nearest-name.ts";
import { elementPath, memberPath, shownName } from "./parameter-path.ts";
import { blank, unwritable } from "./text.ts";
import { isTimeZone } from "./time-zone.ts";
import { addressPlaceholders, isNetworkAddress, isReturnAddress } from "./web-address.ts";

/** The first violation in a request, as its error response reports it. */
export type Violation = {
  readonly code: ErrorCode;
  /** The path as merchants write it: `line_items[0].amount`, `metadata.order`, `created[gte]`. */
  readonly param: string;
  readonly message: string;
};

export type Check = (value: unknown) => Violation | null;

const checks = new WeakMap<TSchema, Check>();

/**
 * Returns a function that checks a value against a request schema. Each schema is compiled once. Checking a valid value
 * takes less than a microsecond. Only an invalid value is passed to `findViolation`.
 */
export function checkOf(schema: TSchema): Check {
  const cached = checks.get(schema);
  if (cached) return cached;
  const compiled = Compile(schema);
  const check: Check = (value) => {
    // A POST without a body is checked as an empty object, so that the error names the missing fields.
    const body = value === undefined ? {} : value;
    if (compiled.Check(body)) return null;
    return findViolation(schema, body) ?? unnamed;
  };
  checks.set(schema, check);
  return check;
}

/**
 * The response when the validator rejects a value but `findViolation` finds no violation. Such a disagreement is a bug,
 * and tests search for values that cause one.
 */
const unnamed: Violation = {
  code: "parameter_invalid",
  param: "body",
  message:
    "The request does not match the schema in the reference. Compare the request with the schema field by field.",
};

/** The part of JSON Schema that the contract uses. */
type Shape = {
  readonly type?: "object" | "array" | "string" | "integer" | "boolean" | "null";
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly patternProperties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly maxProperties?: number;
  readonly description?: string;
  /** Marks values whose violations have separate error codes, and fields that may contain card data. */
  readonly "x-florin"?:
    | "amount"
    | "characters"
    | "country"
    | "currency"
    | "email"
    | "encrypted"
    | "ip"
    | "metadata"
    | "name"
    | "origin"
    | "query"
    | "return_address"
    | "time_zone"
    | "url";
};

/** Walks a value that failed its check. Returns the first violation, or null when it finds none. */
export function findViolation(schema: TSchema, value: unknown): Violation | null {
  return inValue(schema as Shape, value, "", "required");
}

/** Presence of a value in a request. A request without an `optional` value is also valid. */
type Presence = "optional" | "required";

function inValue(
  shape: Shape,
  value: unknown,
  param: string,
  presence: Presence,
): Violation | null {
  if (shape["x-florin"] === "metadata") return inMetadata(shape, value, param);
  if (shape.anyOf) return inAlternatives(shape, shape.anyOf, value, param, presence);
  if (shape.enum) return inChoice(shape.enum, value, param);
  if ("const" in shape) return inChoice([shape.const], value, param);
  switch (shape.type) {
    case "object":
      return inObject(shape, value, param);
    case "array":
      return inArray(shape, value, param, presence);
    case "string":
      return inString(shape, value, param, presence);
    case "integer":
      return inInteger(shape, value, param);
    case "boolean":
      if (typeof value === "boolean") return null;
      return invalid(param, `must be true or false, without quotes. Got ${kindOf(value)}.`);
    case "null":
      return value === null ? null : invalid(param, `must be null. Got ${kindOf(value)}.`);
    default:
      return null;
  }
}

/** Reports the violation of the first schema, because the only unions in the contract are nullable schemas. */
function inAlternatives(
  { description }: Shape,
  shapes: readonly Shape[],
  value: unknown,
  param: string,
  presence: Presence,
): Violation | null {
  let first: Violation | null = null;
  for (const shape of shapes) {
    // `nullable` moves the description from the schema to the union.
    const described = description === undefined ? shape : { description, ...shape };
    const violation = inValue(described, value, param, presence);
    if (violation === null) return null;
    first ??= violation;
  }
  return first;
}

function inChoice(choices: readonly unknown[], value: unknown, param: string): Violation | null {
  if (choices.includes(value)) return null;
  const names = choices.map(String);
  const meant = typeof value === "string" ? nearestName(value, names) : null;
  const hint = meant ? ` Did you mean \`${meant}\`?` : "";
  const expected =
    names.length === 1 ? `be \`${names[0]}\`` : `be one of ${names.map(quoted).join(", ")}`;
  const found = typeof value === "string" ? "Got a different string" : `Got ${kindOf(value)}`;
  return invalid(param, `must ${expected}. ${found}.${hint}`);
}

function inObject(shape: Shape, value: unknown, param: string): Violation | null {
  const properties = shape.properties ?? {};
  // Members of a query parameter are written `created[gte]`.
  const isInQuery = shape["x-florin"] === "query";
  const member = isInQuery ? inBrackets : memberPath;
  if (!isPlainObject(value)) {
    const members = Object.keys(properties).map((name) => quoted(member(param, name)));
    return invalid(
      param,
      isInQuery
        ? `must be an integer, or a range with the bounds ${members.join(", ")}.`
        : `must be a JSON object. Got ${kindOf(value)}.`,
    );
  }
  if (shape.additionalProperties === false) {
    // Checks unknown fields before missing ones. A misspelled field is both unknown and missing, and the spelling is
    // the better hint.
    for (const name of Object.keys(value)) {
      if (!Object.hasOwn(properties, name))
        return unknownParameter(name, properties, param, member);
    }
  }
  for (const name of shape.required ?? []) {
    if (!Object.hasOwn(value, name)) return missingParameter(member(param, name), properties[name]);
  }
  for (const [name, property] of Object.entries(properties)) {
    if (!Object.hasOwn(value, name) || value[name] === undefined) continue;
    const presence = shape.required?.includes(name) ? "required" : "optional";
    const violation = inValue(property, value[name], member(param, name), presence);
    if (violation) return violation;
  }
  return inPatternProperties(shape, value, param);
}

/** Finds a violation in members whose names match a pattern, such as amounts by currency. */
function inPatternProperties(
  { patternProperties = {} }: Shape,
  value: Record<string, unknown>,
  param: string,
): Violation | null {
  const patterns = Object.entries(patternProperties);
  if (patterns.length === 0) return null;
  for (const [name, member] of Object.entries(value)) {
    const known = patterns.find(([pattern]) => patternOf(pattern).test(name));
    const place = memberPath(param, shownName(name));
    if (!known) return unknownParameter(name, {}, param, memberPath);
    const violation = inValue(known[1], member, place, "optional");
    if (violation) return violation;
  }
  return null;
}

function unknownParameter(
  name: string,
  properties: Readonly<Record<string, Shape>>,
  param: string,
  member: typeof memberPath,
): Violation {
  const meant = nearestName(name, Object.keys(properties));
  const shown = shownName(name);
  const place = param === "" ? "This endpoint" : `\`${param}\``;
  const hint = meant
    ? `Did you mean \`${meant}\`?`
    : "Remove the parameter, or compare its spelling with the reference.";
  return {
    code: "parameter_unknown",
    param: member(param, name),
    message: `${place} has no parameter \`${shown}\`. ${hint}`,
  };
}

function missingParameter(param: string, shape: Shape | undefined): Violation {
  const what = shape?.description ? ` ${shape.description}` : "";
  return {
    code: "parameter_missing",
    param,
    message: `\`${param}\` is missing. Add it:${what || " see the reference."}`,
  };
}

function inArray(
  shape: Shape,
  value: unknown,
  param: string,
  presence: Presence,
): Violation | null {
  if (!Array.isArray(value)) return invalid(param, `must be an array. Got ${kindOf(value)}.`);
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = shape;
  if (value.length === 0 && minItems > 0) {
    return {
      code: "parameter_invalid_empty",
      param,
      message: `\`${param}\` must not be an empty array. ${orLeaveOut("Add an entry", presence)}`,
    };
  }
  if (value.length < minItems) {
    return invalid(param, `must have at least ${minItems} entries. Got ${value.length}.`);
  }
  if (value.length > maxItems) {
    return invalid(param, `must have at most ${maxItems} entries. Got ${value.length}.`);
  }
  for (const [index, item] of value.entries()) {
    // A list in a query is separated by commas, so its elements have no path.
    const place = shape["x-florin"] === "query" ? param : elementPath(param, index);
    const violation = inValue(shape.items ?? {}, item, place, "required");
    if (violation) return violation;
    // `indexOf` is sufficient, because lists with `uniqueItems` contain only strings.
    if (shape.uniqueItems && value.indexOf(item) < index) {
      return invalid(place, "must not repeat an earlier entry. Remove the entry.");
    }
  }
  return null;
}

function inInteger(shape: Shape, value: unknown, param: string): Violation | null {
  if (typeof value !== "number" || !Number.isInteger(value)) {
    const found =
      typeof value === "number" ? "Got a number with a fraction" : `Got ${kindOf(value)}`;
    return {
      code: "parameter_invalid_integer",
      param,
      message: `\`${param}\` must be an integer, without quotes or decimals. ${found}.`,
    };
  }
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = shape;
  if (value >= minimum && value <= maximum) return null;
  if (shape["x-florin"] === "amount") return amountOutOfBounds(value, minimum, maximum, param);
  return invalid(param, `must be from ${minimum} to ${maximum}. Got ${value}.`);
}

function amountOutOfBounds(
  value: number,
  minimum: number,
  maximum: number,
  param: string,
): Violation {
  const bounds = `Send an amount from ${minimum} to ${maximum}, in the currency's smallest unit.`;
  if (value <= 0) {
    const message = `\`${param}\` must be positive. Got ${value}. ${bounds}`;
    return { code: "invalid_charge_amount", param, message };
  }
  return value < minimum
    ? {
        code: "amount_too_small",
        param,
        message: `\`${param}\` must be at least ${minimum}. Got ${value}. ${bounds}`,
      }
    : {
        code: "amount_too_large",
        param,
        message: `\`${param}\` must be at most ${maximum}. Got ${value}. ${bounds}`,
      };
}

/** Returns the advice for an empty value, which ends the error message. An optional parameter can also be left out. */
function orLeaveOut(fix: string, presence: Presence): string {
  return presence === "optional" ? `${fix}, or leave the parameter out.` : `${fix}.`;
}

const blankPattern = new RegExp(`^[${blank}]*$`, "u");
const unwritablePattern = new RegExp(`[${unwritable}]`, "u");

// No message repeats the text, which may be a card number in the wrong field.
function inString(
  shape: Shape,
  value: unknown,
  param: string,
  presence: Presence,
): Violation | null {
  if (typeof value !== "string") {
    return invalid(param, `must be a string in quotes. Got ${kindOf(value)}.`);
  }
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = shape;
  if (value === "" && (minLength > 0 || !matches(shape, value))) {
    return {
      code: "parameter_invalid_string_empty",
      param,
      message: `\`${param}\` must not be an empty string. ${orLeaveOut("Send a string with content", presence)}`,
    };
  }
  const length = characters(value);
  const fits = length >= minLength && length <= maxLength;
  if (fits && matches(shape, value)) return null;
  if (blankPattern.test(value)) {
    return {
      code: "parameter_invalid_string_blank",
      param,
      message: `\`${param}\` must not consist only of white space or invisible characters. ${orLeaveOut("Send a string with content", presence)}`,
    };
  }
  if (unwritablePattern.test(value)) {
    return {
      code: "invalid_characters",
      param,
      message: `\`${param}\` must not contain NUL or an unpaired surrogate. Remove the character.`,
    };
  }
  if (!fits) {
    const bounds = minLength > 1 ? `from ${minLength} to ${maxLength}` : `at most ${maxLength}`;
    return invalid(param, `must have ${bounds} characters. Got ${length}.`);
  }
  return notMatching(shape, param);
}

function matches(shape: Shape, value: string): boolean {
  if (shape.pattern !== undefined && !patternOf(shape.pattern).test(value)) return false;
  if (shape["x-florin"] === "ip") return isNetworkAddress(value);
  if (shape["x-florin"] === "return_address") return isReturnAddress(value);
  if (shape["x-florin"] === "time_zone") return isTimeZone(value);
  return shape["x-florin"] !== "url" || URL.canParse(value);
}

function notMatching(shape: Shape, param: string): Violation {
  switch (shape["x-florin"]) {
    case "email":
      return {
        code: "email_invalid",
        param,
        message: `\`${param}\` must be an email address. Send an address such as \`ada@example.com\`.`,
      };
    case "url":
      return {
        code: "url_invalid",
        param,
        message: `\`${param}\` must be an absolute http or https URL. Send a URL such as \`https://shop.example${param === "url" ? "/webhooks" : ""}\`.`,
      };
    case "return_address":
      return {
        code: "url_invalid",
        param,
        message: `\`${param}\` must be an absolute http or https URL with known placeholders only. Send a URL such as \`https://shop.example/thanks?session={CHECKOUT_SESSION_ID}\`. The placeholders are ${addressPlaceholders.map((name) => `{${name}}`).join(", ")}, and the host cannot contain one.`,
      };
    case "origin":
      return {
        code: "url_invalid",
        param,
        message: `\`${param}\` must be an origin: scheme, host and port without a path. Send an origin such as \`https://shop.example\`.`,
      };
    case "country":
      return {
        code: "country_code_invalid",
        param,
        message: `\`${param}\` must be a country code. Send an ISO 3166-1 alpha-2 code in capital letters, such as \`DE\`. The code for the United Kingdom is \`GB\`.`,
      };
    case "time_zone":
      return invalid(
        param,
        "must be a time zone of the IANA database. Send a name such as `Europe/Berlin` or `UTC`.",
      );
    case "name":
      return invalid(
        param,
        "must not contain a web address or control characters. Remove them, and add a space after each period.",
      );
    case "characters":
      return {
        code: "invalid_characters",
        param,
        message:
          `\`${param}\` contains a character that is not allowed. ${shape.description ?? ""}`.trim(),
      };
    default:
      return invalid(param, `has an invalid format. ${shape.description ?? ""}`.trim());
  }
}

function inMetadata(shape: Shape, value: unknown, param: string): Violation | null {
  const wrong = (where: string, message: string): Violation => ({
    code: "metadata_invalid",
    param: where,
    message: `\`${where}\` ${message}`,
  });
  if (!isPlainObject(value)) {
    return wrong(param, `must be a JSON object of strings. Got ${kindOf(value)}.`);
  }
  const pairs = Object.entries(value);
  const { keyLength, valueLength } = metadataLimits;
  const keys = shape.maxProperties ?? metadataLimits.keys;
  if (pairs.length > keys) {
    return wrong(param, `must have at most ${keys} pairs. Got ${pairs.length}.`);
  }
  const [[keyPattern, valueShape] = ["", {}]] = Object.entries(shape.patternProperties ?? {});
  for (const [key, text] of pairs) {
    const where = memberPath(param, key);
    if (!patternOf(keyPattern).test(key)) {
      return wrong(
        where,
        `must have a key of 1 to ${keyLength} characters without \`[\` or \`]\`.`,
      );
    }
    const violation = inValue(valueShape, text, where, "optional");
    if (violation === null) continue;
    return typeof text === "string"
      ? wrong(
          where,
          `must be a string of at most ${valueLength} characters, without NUL or unpaired surrogates.`,
        )
      : wrong(where, `must be a string in quotes. Got ${kindOf(text)}.`);
  }
  return null;
}

const patterns = new Map<string, RegExp>();

function patternOf(source: string): RegExp {
  let pattern = patterns.get(source);
  if (!pattern) {
    pattern = new RegExp(source, "u");
    patterns.set(source, pattern);
  }
  return pattern;
}

function invalid(param: string, complaint: string): Violation {
  const name = param === "" ? "body" : param;
  const subject = param === "" ? "The body" : `\`${param}\``;
  return { code: "parameter_invalid", param: name, message: `${subject} ${complaint}` };
}

function inBrackets(param: string, name: string): string {
  return `${param}[${shownName(name)}]`;
}

function quoted(name: string): string {
  return `\`${name}\``;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "string") return "a string";
  if (typeof value === "number") return "a number";
  if (typeof value === "boolean") return `${value}`;
  return typeof value === "object" ? "an object" : "nothing";
}

/** Returns the number of code points, which is how JSON Schema counts characters. */
function characters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
