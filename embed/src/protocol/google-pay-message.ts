import { type Check, matches, type Shapes } from "./parse-message.ts";

/**
 * The messages between the card form and the page with Google Pay's button, which the form frames from the service's
 * second origin. Google's script runs in that page, so the form treats its messages as untrusted.
 *
 * Both ends use `postMessage` with the exact origin of the other end as the target, and accept a message only from the
 * other end's window and origin. The form creates a random nonce for each frame, and puts it into the fragment of the
 * page's URL. Every message contains the nonce, so a page of another form or of an earlier load is ignored.
 *
 * 1. The page sends `hello`. The form sends `configure` with what the sheet needs: no data of a card or a customer.
 * 2. The page sends `ready` when it has drawn the button, or `unavailable`. Without `ready`, the form shows no button.
 * 3. When the customer presses the button, the page sends `opened` with the next number of an opening. The sheet ends
 *   with `token`, `canceled` or `failed` of the same number. The form accepts one end per opening, and no number twice,
 *   so a message that is sent again has no effect.
 */
const googlePayVersion = 1;

/** The data that the sheet needs. All of it is visible to the customer, or public at Google. */
export type GooglePayRequest = {
  readonly environment: "TEST" | "PRODUCTION";
  readonly merchant_id: string | null;
  readonly merchant_name: string;
  /** The amount in the format of Google, such as `19.99`. */
  readonly total: string;
  /** The currency in upper case. */
  readonly currency: string;
  readonly country: string;
  readonly networks: readonly string[];
  readonly auth_methods: readonly string[];
  /** Google's `tokenizationSpecification`, whose members are strings. */
  readonly tokenization: {
    readonly type: "DIRECT" | "PAYMENT_GATEWAY";
    readonly parameters: Readonly<Record<string, string>>;
  };
  /** The color of the button. */
  readonly color: "black" | "white";
  /** The radius of the button's corners in pixels. */
  readonly radius: number;
  /** The language of the button, as an ISO 639-1 code. */
  readonly language: string;
};

export type GooglePayCommand = { readonly type: "configure"; readonly request: GooglePayRequest };

export type GooglePayEvent =
  | { readonly type: "hello" }
  | { readonly type: "ready" }
  | { readonly type: "unavailable" }
  | { readonly type: "opened"; readonly opening: number }
  | { readonly type: "token"; readonly opening: number; readonly token: string }
  | { readonly type: "canceled"; readonly opening: number }
  | { readonly type: "failed"; readonly opening: number };

/** The maximum length of a token, which the service enforces too. Google's tokens have about 2,000 characters. */
const maxTokenLength = 10_000;

/** Returns the message to post: the command or event with the protocol's version and the nonce. */
export function withEnvelope<Message extends GooglePayCommand | GooglePayEvent>(
  message: Message,
  nonce: string,
): Message & Envelope {
  return { ...message, florin_google_pay: googlePayVersion, nonce };
}

type Envelope = { readonly florin_google_pay: typeof googlePayVersion; readonly nonce: string };

/** Returns the command, or null if the data is not exactly a command with this nonce. */
export function parseGooglePayCommand(data: unknown, nonce: string): GooglePayCommand | null {
  return parse(data, nonce, { configure: { request: isObject } }) as GooglePayCommand | null;
}

/** Returns the event, or null if the data is not exactly an event with this nonce. */
export function parseGooglePayEvent(data: unknown, nonce: string): GooglePayEvent | null {
  const opening = { opening: isOpening };
  return parse(data, nonce, {
    hello: {},
    ready: {},
    unavailable: {},
    opened: opening,
    token: { ...opening, token: isToken },
    canceled: opening,
    failed: opening,
  }) as GooglePayEvent | null;
}

function parse(data: unknown, nonce: string, shapes: Shapes): unknown {
  const envelope: Readonly<Record<keyof Envelope, Check>> = {
    florin_google_pay: (value) => value === googlePayVersion,
    nonce: (value) => value === nonce && isNonce(nonce),
  };
  const enclosed = Object.fromEntries(
    Object.entries(shapes).map(([type, checks]) => [type, { ...checks, ...envelope }]),
  );
  return matches(enclosed, data) ? data : null;
}

/** Returns a nonce for one frame: 128 random bits in hexadecimal. */
export function newNonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns whether the text has the format of a nonce. */
export function isNonce(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

const isObject: Check = (value) => typeof value === "object" && value !== null;
const isOpening: Check = (value) => Number.isSafeInteger(value) && (value as number) > 0;
const isToken: Check = (value) =>
  typeof value === "string" && value.length > 0 && value.length <= maxTokenLength;
