import { checkOf } from "@florin/contract/violation.ts";
import type { FastifyRequest } from "fastify";
import type { Static, TSchema } from "typebox";
import { ApiError } from "../primitives/api-error.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { refuseCardData, refuseCardNumber } from "./refuse-card-data.ts";
import type { Idempotency } from "./route.ts";
import { pathOf } from "./server.ts";
import { parseStrictJson } from "./strict-json.ts";

/** A POST without a body is an empty one, for those that need none. */
export function readBody(request: FastifyRequest): unknown {
  const bytes = request.body as Buffer | undefined;
  if (!bytes || bytes.length === 0) return {};
  const body = parseStrictJson(bytes);
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body;
  throw new ApiError("body_invalid_json", "The body must be one JSON object, in braces.");
}

/** The same, of the shape that the schema describes. */
export function readBodyAs<Schema extends TSchema>(
  request: FastifyRequest,
  schema: Schema,
): Static<Schema> {
  const body = readBody(request);
  refuseViolation(schema, body);
  return body as Static<Schema>;
}

export function readIdempotency(request: FastifyRequest, body: unknown): Idempotency | null {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return null;
  // The parser joins several headers of one name with a comma.
  const isOne =
    typeof key === "string" && !(key.includes(", ") && isRepeated(request, "idempotency-key"));
  if (!isOne || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new ApiError(
      "idempotency_key_invalid",
      "The Idempotency-Key must be one header of 1 to 255 printable ASCII characters; a random UUID is a good one.",
      { param: "Idempotency-Key" },
    );
  }
  refuseCardNumber(key, "Idempotency-Key");
  return { key, fingerprint: fingerprintOf(request.method, pathOf(request), body) };
}

function isRepeated(request: FastifyRequest, name: string): boolean {
  return (request.raw.headersDistinct[name]?.length ?? 0) > 1;
}

/**
 * Rejects a body or a query that does not have the shape of its schema, or that holds card data where none belongs. Every
 * route calls it with all that it reads, so that no card number reaches a table, a log or an error message.
 */
export function refuseViolation(schema: TSchema | undefined, value: unknown): void {
  if (!schema) return;
  const violation = checkOf(schema)(value);
  if (violation) throw new ApiError(violation.code, violation.message, { param: violation.param });
  refuseCardData(schema, value);
}
