import {
  cardBrands,
  cardFieldNames,
  type FrameMessage,
  type Hello,
  type PageMessage,
  type PortOffer,
  protocolVersion,
} from "./message.ts";

/**
 * Reads what came over the bridge; null for everything that is not exactly one of the protocol's messages. A message has
 * the keys of its type and no others, so that nothing can ride along, and every value is checked, because the other side
 * may be an older version, another library, or somebody who tries.
 */
export function parseFrameMessage(data: unknown): FrameMessage | null {
  return matches(frameShapes, data) ? (data as FrameMessage) : null;
}

export function parsePageMessage(data: unknown): PageMessage | null {
  return matches(pageShapes, data) ? (data as PageMessage) : null;
}

export function isHello(data: unknown): data is Hello {
  return matches({ hello: { florin: isVersion } }, data);
}

export function isPortOffer(data: unknown): data is PortOffer {
  return matches({ port: { florin: isVersion } }, data);
}

type Check = (value: unknown) => boolean;
type Shapes = Readonly<Record<string, Readonly<Record<string, Check>>>>;

const isVersion = (value: unknown) => value === protocolVersion;
const isBoolean = (value: unknown) => typeof value === "boolean";
const isField = (value: unknown) => (cardFieldNames as readonly unknown[]).includes(value);
const orNull = (check: Check) => (value: unknown) => value === null || check(value);

/** Codes are words of letters: no digit fits in. */
const isCode = (value: unknown) => typeof value === "string" && /^[a-z_]{1,64}$/.test(value);

/** Text for people. Eight digits are enough for any amount or time it names, and too few for a card number. */
const isText = (value: unknown) =>
  typeof value === "string" && value.length <= 300 && (value.match(/\p{Nd}/gu)?.length ?? 0) <= 8;

/** A TypeID: the prefix and 26 letters of Crockford's base32, the first of them at most 7 (contract §1). */
const isSessionId = (value: unknown) =>
  typeof value === "string" && /^cs_[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(value);

const isHeight = (value: unknown) =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 20_000;

const isFieldList = (value: unknown) =>
  Array.isArray(value) &&
  // Neither holes nor properties hung on the array, which a structured clone would carry over.
  Object.keys(value).length === value.length &&
  new Set(value).size === value.length &&
  value.every(isField);

const frameShapes: Shapes = {
  ready: {},
  resize: { height: isHeight },
  change: {
    complete: isBoolean,
    brand: orNull((value) => (cardBrands as readonly unknown[]).includes(value)),
    invalid: isFieldList,
  },
  focus: { field: isField },
  blur: { field: isField },
  submitting: {},
  requires_action: {},
  complete: { session_id: isSessionId, status: (value) => value === "complete" },
  failed: { code: isCode, decline_code: orNull(isCode), message: isText, retryable: isBoolean },
  canceled: {},
  expired: {},
  error: { code: isCode, message: isText },
};

const pageShapes: Shapes = {
  submit: {},
  update: { pay_button: (value) => value === "shown" || value === "hidden" },
  focus: { field: orNull(isField) },
  destroy: {},
};

function matches(shapes: Shapes, data: unknown): boolean {
  if (typeof data !== "object" || data === null) return false;
  const message = data as Readonly<Record<string, unknown>>;
  const { type } = message;
  if (typeof type !== "string" || !Object.hasOwn(shapes, type)) return false;
  const checks = Object.entries(shapes[type] ?? {});
  return (
    Object.keys(message).length === checks.length + 1 &&
    checks.every(([key, check]) => Object.hasOwn(message, key) && check(message[key]))
  );
}
