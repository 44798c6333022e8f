/** The facts about a successful response that its body does not contain. */
export type ResponseInfo = {
  readonly status: number;
  /** The ID of the request. Quote it when you contact the operator of the service. */
  readonly requestId: string | undefined;
  /** The idempotency key of the request, if it was a POST. */
  readonly idempotencyKey: string | undefined;
  /** True if the service returned the stored response to an earlier request with the same idempotency key. */
  readonly replayed: boolean;
};

/** A weak map instead of a field, so that the objects contain exactly the fields of the API. */
const responses = new WeakMap<object, ResponseInfo>();

/**
 * Returns the response that an object or a page of a list comes from:
 *
 *     const charge = await florin.charges.create({ … });
 *     console.log(responseOf(charge).requestId);
 */
export function responseOf(result: object): ResponseInfo {
  const response = responses.get(result);
  if (response) return response;
  throw new TypeError(
    "The object does not come directly from a response. Pass the result of an SDK call, not a copy or a part of it.",
  );
}

/** Stores the facts about the response for the parsed body, and returns the body. */
export function keepResponse<Body>(
  body: Body,
  {
    status,
    headers,
    idempotencyKey,
  }: { status: number; headers: Headers; idempotencyKey: string | undefined },
): Body {
  if (typeof body === "object" && body !== null) {
    responses.set(body, {
      status,
      requestId: headers.get("request-id") ?? undefined,
      idempotencyKey,
      replayed: headers.get("idempotent-replayed") === "true",
    });
  }
  return body;
}
