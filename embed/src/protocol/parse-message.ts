import {
  cardFieldNames,
  type FrameMessage,
  type Hello,
  type PageMessage,
  type PortOffer,
  protocolVersion,
} from "./message.ts";

/**
 * Parses a message of the bridge. Returns null for any value that is not exactly a message of the protocol. A message
 * must have exactly the keys of its type, so that it cannot carry other data. Every value is checked, because the
 * sender may be an older version, another library or an attacker.
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

export type Check = (value: unknown) => boolean;
/** The fields of each type of message, with the check of each field. */
export type Shapes = Readonly<Record<string, Readonly<Record<string, Check>>>>;

const isVersion = (value: unknown) => value === protocolVersion;
const isBoolean = (value: unknown) => typeof value === "boolean";
const isField = (value: unknown) => (cardFieldNames as readonly unknown[]).includes(value);
const orNull = (check: Check) => (value: unknown) => value === null || check(value);

/** Codes consist of letters and underscores, so they cannot contain digits. */
const isCode = (value: unknown) => typeof value === "string" && /^[a-z_]{1,64}$/.test(value);

/**
 * Text for people. It can contain up to eight digits, which is enough for an amount or a time and too few for a card
 * number.
 */
const isText = (value: unknown) =>
  typeof value === "string" && value.length <= 300 && value.split(/\p{Nd}/u).length <= 9;

/** A TypeID: the prefix and 26 characters of Crockford's base32, the first of which is at most 7. */
const isSessionId = (value: unknown) =>
  typeof value === "string" && /^cs_[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(value);

/** The URL of a challenge document. The loader opens no other URL over the merchant's page. */
const isChallengeAddress = (value: unknown) =>
  typeof value === "string" &&
  /^https?:\/\/[^\s/?#@\\]+\/challenge\/[\w./?&=#-]{1,1000}$/.test(value) &&
  !/\d{12}/.test(value);

const isLocale = (value: unknown) =>
  typeof value === "string" && /^[a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8}){0,3}$/.test(value);

/** Token names consist of letters, and values are short. `frame/appearance.ts` defines and validates them. */
const isAppearance = (value: unknown) =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).length <= 40 &&
  Object.entries(value).every(
    ([name, token]) =>
      /^[a-zA-Z]{1,32}$/.test(name) &&
      typeof token === "string" &&
      token.length <= 120 &&
      // A color has at most eleven digits. The shortest card number has twelve.
      (token.match(/\p{Nd}/gu)?.length ?? 0) <= 11,
  );

const isHeight = (value: unknown) =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 20_000;

const isCodeList = (value: unknown) =>
  Array.isArray(value) &&
  // Rejects an array with holes or with extra properties, which a structured clone preserves.
  Object.keys(value).length === value.length &&
  new Set(value).size === value.length &&
  value.every(isCode);

const modalWords = { title: isText, close: isText, question: isText, stay: isText, leave: isText };

const frameShapes: Shapes = {
  ready: {},
  resize: { height: isHeight },
  change: {
    complete: isBoolean,
    brand: /* @__PURE__ */ orNull(isCode),
    invalid: isCodeList,
  },
  focus: { field: isCode },
  blur: { field: isCode },
  submitting: {},
  requires_action: {},
  "modal.open": { url: isChallengeAddress, ...modalWords },
  "modal.close": {},
  complete: { session_id: isSessionId, status: (value) => value === "complete" },
  failed: {
    code: isCode,
    decline_code: /* @__PURE__ */ orNull(isCode),
    message: isText,
    retryable: isBoolean,
  },
  canceled: {},
  expired: {},
  error: { code: isCode, message: isText },
};

const pageShapes: Shapes = {
  submit: {},
  update: {
    pay_button: (value) => value === "shown" || value === "hidden",
    postal_code: (value) => value === "required" || value === "hidden",
    locale: /* @__PURE__ */ orNull(isLocale),
    appearance: isAppearance,
  },
  focus: { field: /* @__PURE__ */ orNull(isField) },
  "modal.dismissed": {},
  destroy: {},
};

/** Returns whether the data is exactly a message of one of these shapes. */
export function matches(shapes: Shapes, data: unknown): boolean {
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
