import { unsetNulls } from "@florin/contract/unset-nulls.ts";
import { checkOf } from "@florin/contract/violation.ts";
import type { FastifyRequest } from "fastify";
import type { Static, TSchema } from "typebox";
import { ApiError } from "../../core/api-error.ts";
import { mayContainCardData } from "../../core/card-data.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { rejectCardData, rejectCardNumber } from "./reject-card-data.ts";
import type { Idempotency } from "./route.ts";
import { pathOf } from "./server.ts";
import { parseStrictJson } from "./strict-json.ts";

/**
 * Reads and validates a JSON body. A missing body is read as an empty object. Nulls that mean "not set" are removed
 * first, so that a null and a missing member have the same idempotency fingerprint.
 */
export function readBody(request: FastifyRequest, schema: TSchema): unknown {
  const bytes = request.body as Buffer | undefined;
  if (!bytes || bytes.length === 0) return checked(schema, {}, "{}");
  const body = parseStrictJson(bytes);
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new ApiError("body_invalid_json", "The body must be a JSON object, such as {}.");
  }
  const json = bytes.toString("latin1");
  // Most bodies contain no null and skip the traversal.
  return checked(schema, json.includes("null") ? unsetNulls(schema, body) : body, json);
}

function checked(schema: TSchema, body: unknown, json: string): unknown {
  rejectMismatch(schema, body);
  if (mayContainCardData(json)) rejectCardData(schema, body);
  return body;
}

/** Reads and validates a JSON body, and returns it with the type of its schema. */
export function readBodyAs<Schema extends TSchema>(
  request: FastifyRequest,
  schema: Schema,
): Static<Schema> {
  return readBody(request, schema) as Static<Schema>;
}

/** Returns the idempotency key and the fingerprint of a request whose body was checked, or null without a key. */
export function readIdempotency(request: FastifyRequest, body: unknown): Idempotency | null {
  const key = readKey(request);
  if (key === null) return null;
  return { key, fingerprint: fingerprintOf(request.method, pathOf(request), body) };
}

/**
 * Returns the idempotency key of a request whose body was rejected. The fingerprint is a hash of the raw body. It
 * differs from every stored fingerprint, because a rejected body is never stored.
 */
export function readIdempotencyOfRejected(request: FastifyRequest): Idempotency | null {
  return readIdempotency(request, Buffer.isBuffer(request.body) ? String(request.body) : null);
}

function readKey(request: FastifyRequest): string | null {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return null;
  // The parser joins repeated headers with a comma.
  const isOne =
    typeof key === "string" && !(key.includes(", ") && isRepeated(request, "idempotency-key"));
  if (!isOne || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new ApiError(
      "idempotency_key_invalid",
      "The Idempotency-Key must be one header of 1 to 255 printable ASCII characters. Send a random UUID.",
      { param: "Idempotency-Key" },
    );
  }
  rejectCardNumber(key, "Idempotency-Key");
  return key;
}

function isRepeated(request: FastifyRequest, name: string): boolean {
  return (request.raw.headersDistinct[name]?.length ?? 0) > 1;
}

/**
 * Rejects a body or a query that does not match its schema, or that contains card data where it is not allowed.
 * `readBody` makes the same checks for a JSON body. Together they keep card numbers out of tables, logs and error
 * messages.
 */
export function rejectSchemaViolation(schema: TSchema | undefined, value: unknown): void {
  if (!schema) return;
  rejectMismatch(schema, value);
  rejectCardData(schema, value);
}

function rejectMismatch(schema: TSchema, value: unknown): void {
  const violation = checkOf(schema)(value);
  if (violation) throw new ApiError(violation.code, violation.message, { param: violation.param });
}
