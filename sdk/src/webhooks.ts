import type { WebhookEvent } from "@florin/contract/webhook-event.ts";

export type { WebhookEvent };

/**
 * The reason why a webhook was rejected. Respond with status 400, except for `body_already_parsed`, which is a bug in
 * the receiver.
 */
export type WebhookFault =
  | "header_missing"
  | "header_malformed"
  | "body_already_parsed"
  | "body_too_large"
  | "signature_mismatch"
  | "too_old"
  | "in_the_future"
  | "body_not_json";

export class WebhookError extends Error {
  readonly fault: WebhookFault;
  constructor(fault: WebhookFault, message: string) {
    super(message);
    this.name = "WebhookError";
    this.fault = fault;
  }
}

type NodeRequest = AsyncIterable<Uint8Array | string> & {
  headers: Record<string, string | string[] | undefined>;
  readableEnded?: boolean;
  body?: unknown;
};
type RawRequest = {
  /**
   * The body as text or bytes, such as a `Buffer` or an `ArrayBuffer`. The type is `unknown`, because frameworks
   * declare the body as `unknown` or `any`. Any other value is rejected.
   */
  body: unknown;
  headers: Headers | Record<string, string | string[] | undefined>;
};
/** A fetch `Request`, a Node `IncomingMessage` (Express's request, Fastify's `.raw`), or the raw body and headers. */
export type WebhookRequest = Request | NodeRequest | RawRequest;

/** One or several signing secrets. Unset environment variables in a list are ignored. */
export type WebhookSecrets = string | undefined | readonly (string | undefined)[];

export type VerifyOptions = { toleranceSeconds?: number; now?: Date };

/**
 * The maximum size of a body that is read. The service's bodies are far smaller, and the sender is not authenticated
 * yet.
 */
const maxBodyBytes = 1024 * 1024;

/**
 * Returns the event if one of the secrets signed these exact bytes at most `toleranceSeconds` before or after `now`.
 * Otherwise throws a `WebhookError` with the reason. The default tolerance is five minutes. While a secret is being
 * rolled, pass both secrets. In TypeScript, a comparison of `event.type` determines the type of `event.data.object`.
 */
export async function verify(
  request: WebhookRequest,
  secrets: WebhookSecrets,
  { toleranceSeconds = 300, now = new Date() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const known = [secrets].flat().filter((secret): secret is string => !!secret);
  if (known.length === 0) {
    throw new TypeError(
      "The signing secret is missing. Check that the environment variable is set. The secret begins with whsec_.",
    );
  }
  const { timestamp, signatures } = parseHeader(headerOf(request));
  const body = await rawBody(request);
  // The timestamp is part of the signed text, so it is not trusted before the signature is verified.
  const signed = concat([new TextEncoder().encode(`${timestamp}.`), body]);
  if (!(await isSignedByOneOf(known, signatures, signed))) {
    throw new WebhookError("signature_mismatch", `No signature matches. ${mismatchCause(known)}`);
  }
  const age = Math.floor(now.getTime() / 1000) - Number(timestamp);
  if (age > toleranceSeconds) {
    throw new WebhookError(
      "too_old",
      `The signature is ${age} s old, more than the tolerance of ${toleranceSeconds} s. Check this machine's clock, and make sure that the request is not a replay.`,
    );
  }
  if (-age > toleranceSeconds) {
    throw new WebhookError(
      "in_the_future",
      `The signature is ${-age} s ahead of this machine's clock. Check this machine's clock.`,
    );
  }
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    throw new WebhookError("body_not_json", "The signature is valid, but the body is not JSON.");
  }
}

/** Returns the likely cause of a mismatch. The text contains no part of a secret. */
function mismatchCause(secrets: readonly string[]): string {
  // An environment variable that was read from a file often ends in a line break.
  if (secrets.some((secret) => /\s/.test(secret)))
    return "The signing secret contains white space. Remove the white space.";
  if (secrets.some((secret) => !secret.startsWith("whsec_")))
    return "The signing secret must begin with whsec_. Copy the complete secret of the endpoint.";
  return "Check that the signing secret belongs to this endpoint, and that the body was not changed in transit.";
}

function headerOf({ headers }: WebhookRequest): string {
  const value =
    typeof headers.get === "function"
      ? headers.get("service-signature")
      : Object.entries(headers).find(([name]) => name.toLowerCase() === "service-signature")?.[1];
  if (typeof value === "string" && value !== "") return value;
  throw new WebhookError(
    "header_missing",
    "The Service-Signature header is missing, so the request is not a webhook from Florin.",
  );
}

/** Parses `t=<unix seconds>,v1=<hex>`, with one `v1` per valid secret during a roll. Other schemes are ignored. */
function parseHeader(header: string): { timestamp: string; signatures: Uint8Array<ArrayBuffer>[] } {
  const parts = header.split(",").map((part) => part.trim().split("=", 2));
  const timestamps = parts.flatMap(([key, value]) =>
    key === "t" && value !== undefined ? [value] : [],
  );
  const signatures = parts.flatMap(([key, value]) =>
    key === "v1" && value !== undefined && /^[0-9a-f]{64}$/.test(value) ? [fromHex(value)] : [],
  );
  const [timestamp] = timestamps;
  if (timestamps.length !== 1 || !/^\d{1,12}$/.test(timestamp ?? "") || signatures.length === 0) {
    throw new WebhookError(
      "header_malformed",
      "The Service-Signature header must have the form t=<seconds>,v1=<hex>.",
    );
  }
  return { timestamp: timestamp as string, signatures };
}

/**
 * Returns the body's bytes as received, because the signature covers exactly these bytes. JSON that was parsed and
 * serialized again can differ.
 */
async function rawBody(request: WebhookRequest): Promise<Uint8Array> {
  const { body } = request;
  if (typeof body === "string") return inBounds(new TextEncoder().encode(body));
  // Also accepts bytes of another realm, such as those of Jest's environments, which are not instances of this realm's
  // `Uint8Array` and `ArrayBuffer`.
  if (ArrayBuffer.isView(body))
    return inBounds(new Uint8Array(body.buffer, body.byteOffset, body.byteLength));
  if (isArrayBuffer(body)) return inBounds(new Uint8Array(body));
  const stream = Symbol.asyncIterator in request ? request : body;
  if (stream === null) return new Uint8Array();
  if (isSpent(request) || typeof stream !== "object" || !(Symbol.asyncIterator in stream)) {
    throw new WebhookError(
      "body_already_parsed",
      "The body was read before verify(), for example by a JSON middleware. Pass the raw bytes of the body.",
    );
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Uint8Array | string>) {
    // After `setEncoding("utf8")`, a Node request consists of strings.
    const bytes = typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk;
    length += bytes.length;
    if (length > maxBodyBytes) throw tooLarge();
    chunks.push(bytes);
  }
  return concat(chunks);
}

function isArrayBuffer(body: unknown): body is ArrayBuffer {
  return Object.prototype.toString.call(body) === "[object ArrayBuffer]";
}

function inBounds(body: Uint8Array): Uint8Array {
  if (body.length > maxBodyBytes) throw tooLarge();
  return body;
}

function tooLarge(): WebhookError {
  return new WebhookError(
    "body_too_large",
    "The body is larger than 1 MiB. No event is that large.",
  );
}

function isSpent(request: WebhookRequest): boolean {
  if ("bodyUsed" in request) return request.bodyUsed;
  return "readableEnded" in request && request.readableEnded === true;
}

async function isSignedByOneOf(
  secrets: readonly string[],
  signatures: readonly Uint8Array<ArrayBuffer>[],
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  if (secrets.length === 0 || secrets.includes(""))
    throw new TypeError(
      "verify() requires a signing secret. Pass the secret of the webhook endpoint as the second argument.",
    );
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  for (const secret of secrets) {
    // The key is the complete text of the secret, including `whsec_`.
    const bytes = new TextEncoder().encode(secret);
    const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"]);
    for (const signature of signatures) {
      // WebCrypto compares in constant time, so the duration of a rejection reveals nothing about the correct
      // signature.
      if (await crypto.subtle.verify("HMAC", key, signature, signed)) return true;
    }
  }
  return false;
}

function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function concat(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}
