import { type JsonObject, parseJsonObject } from "../json-object.ts";
import type {
  HttpResponse,
  Rejected,
  RejectionReason,
  RetrySameRequest,
  UnknownOutcome,
} from "../outcome.ts";

/** The error codes that concern the card (checkout.com/docs/resources/codes/error-codes). */
const cardError = /^(?:card_(?:number|expiry_month|expiry_year|expired)|cvv)(?:_|$)/;

/**
 * Returns the outcome of an unsuccessful response. Only a response in Checkout.com's format shows that Checkout.com did
 * not process the request: a `ValidationError`, or no body at all (nas-openapi.json). Checkout.com stores the response
 * of a request only if it processed the request
 * (checkout.com/docs/developer-resources/api/idempotency).
 *
 * Status 429 means too many requests, or that a copy of the request is in progress. The caller passes the rejection to
 * return as `tooMany` if no copy can be in progress. If one can, the caller passes null, and the outcome stays unknown.
 */
export function failureOf(
  { status, body }: HttpResponse,
  tooMany: Rejected | null,
): Rejected | RetrySameRequest | UnknownOutcome {
  const lost = unknown(`the response has status ${status}`);
  const codes = body === "" ? [] : errorCodesOf(parseJsonObject(body));
  if (codes === null) return lost;
  const code = codes.join(", ").slice(0, 200) || String(status);
  switch (status) {
    case 400:
    case 422:
      if (codes.length === 0) return lost;
      return rejected(
        codes.some((one) => cardError.test(one)) ? "card_data" : "invalid_request",
        code,
      );
    case 401:
      return rejected("credentials", code);
    case 403:
    case 404:
      return rejected("invalid_request", code);
    case 409:
    case 429:
      return { kind: "retry_same_request", otherwise: tooMany ?? lost };
    default:
      return lost;
  }
}

/** Returns the codes of an error in Checkout.com's format (schema `ValidationError`), or null for any other body. */
function errorCodesOf(body: JsonObject | null): readonly string[] | null {
  if (body === null || typeof body.error_type !== "string") return null;
  const codes = body.error_codes ?? [];
  if (!Array.isArray(codes)) return null;
  return codes.filter((code): code is string => typeof code === "string");
}

export function rejected(why: RejectionReason, acquirerErrorCode: string): Rejected {
  return { kind: "rejected", why, acquirerErrorCode };
}

/** The outcome of a rate-limited request, if no earlier copy can be in progress. */
export const rejectedAsTooMany: Rejected = {
  kind: "rejected",
  why: "rate_limited",
  acquirerErrorCode: "too_many_requests",
};

/** Returns an unknown outcome instead of a rejection. A rejected inquiry proves nothing about its payment. */
export function asUnknown(failure: Rejected | RetrySameRequest | UnknownOutcome) {
  return failure.kind === "rejected"
    ? unknown(`the inquiry was rejected (${failure.acquirerErrorCode})`)
    : failure;
}

export function unknown(problem: string): UnknownOutcome {
  return { kind: "unknown", why: "invalid_response", problem };
}
