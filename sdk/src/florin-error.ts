/**
 * An error of the service, with one class for each `error.type`. Branch on the class, on `code` and on `declineCode`,
 * never on the message. Quote `requestId` when you contact the operator of the service.
 */
export class FlorinError extends Error {
  readonly type: string;
  readonly code: string;
  /** The parameter that caused the error. */
  readonly param: string | undefined;
  /** The reason for the decline, set on every `CardError`. */
  readonly declineCode: string | undefined;
  /** The recommended reaction to a decline: `confirm_card_data`, `try_again_later` or `do_not_try_again`. */
  readonly adviceCode: string | undefined;
  readonly networkDeclineCode: string | undefined;
  /** The failed charge, if the error is a decline. */
  readonly chargeId: string | undefined;
  /** The HTTP status, or 0 if no response arrived. */
  readonly status: number;
  readonly requestId: string | undefined;
  readonly docUrl: string | undefined;
  /**
   * The idempotency key of the request, whether you passed it or the client generated it. A later retry must send this
   * key. With a new key, a charge whose response was lost would be created a second time.
   */
  readonly idempotencyKey: string | undefined;
  /** The waiting time that the service requested in `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(init: FlorinErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.name = new.target.name;
    this.type = init.type;
    this.code = init.code;
    this.param = init.param;
    this.declineCode = init.declineCode;
    this.adviceCode = init.adviceCode;
    this.networkDeclineCode = init.networkDeclineCode;
    this.chargeId = init.chargeId;
    this.status = init.status;
    this.requestId = init.requestId;
    this.docUrl = init.docUrl;
    this.idempotencyKey = init.idempotencyKey;
    this.retryAfterSeconds = init.retryAfterSeconds;
  }
}

/** Thrown if the key is missing, mistyped or revoked (401). */
export class AuthenticationError extends FlorinError {}
/**
 * Thrown if the request is invalid or the key lacks a permission (400, 403, 404, 405, 413, 415, 431). Correct the
 * request before you send it again. The code `response_unreadable` means that another server responded instead of the service,
 * regardless of `status`.
 */
export class InvalidRequestError extends FlorinError {}
/**
 * Thrown if the card was declined, or if the acquirer rejected a capture or cancellation (402). A declined charge
 * exists with the status `failed`.
 */
export class CardError extends FlorinError {}
/** Thrown if the last attempt was rejected because of too many requests (429). */
export class RateLimitError extends FlorinError {}
/** Thrown if the idempotency key was used for a different request (422). */
export class IdempotencyError extends FlorinError {}
/** Thrown if the service failed in the last attempt (5xx). */
export class ApiError extends FlorinError {}
/**
 * Thrown if no complete response arrived or the call was aborted. The request may have been executed: send it again
 * with the same `idempotencyKey`.
 */
export class ConnectionError extends FlorinError {}

export type FlorinErrorInit = {
  message: string;
  type: string;
  code: string;
  status: number;
  param?: string | undefined;
  declineCode?: string | undefined;
  adviceCode?: string | undefined;
  networkDeclineCode?: string | undefined;
  chargeId?: string | undefined;
  requestId?: string | undefined;
  docUrl?: string | undefined;
  idempotencyKey?: string | undefined;
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
};

const classOfType: ReadonlyMap<string, typeof FlorinError> = new Map([
  ["authentication_error", AuthenticationError],
  ["invalid_request_error", InvalidRequestError],
  ["card_error", CardError],
  ["rate_limit_error", RateLimitError],
  ["idempotency_error", IdempotencyError],
  ["api_error", ApiError],
]);

export type Received = {
  status: number;
  headers: Headers;
  text: string;
  idempotencyKey: string | undefined;
};

/** Parses the error envelope. An error type that this client does not know becomes a plain `FlorinError`. */
export function errorFromResponse(received: Received): FlorinError {
  const envelope = readEnvelope(received.text) ?? unknownFormat(received);
  const word = (name: string) => {
    const value = envelope[name];
    return typeof value === "string" ? value : undefined;
  };
  const type = word("type") ?? "api_error";
  const ErrorClass = classOfType.get(type) ?? FlorinError;
  return new ErrorClass({
    message: word("message") ?? `The service returned status ${received.status}.`,
    type,
    code: word("code") ?? "unknown",
    status: received.status,
    param: word("param"),
    declineCode: word("decline_code"),
    adviceCode: word("advice_code"),
    networkDeclineCode: word("network_decline_code"),
    chargeId: word("charge"),
    requestId: word("request_id") ?? received.headers.get("request-id") ?? undefined,
    docUrl: word("doc_url"),
    idempotencyKey: received.idempotencyKey,
    retryAfterSeconds: readRetryAfter(received.headers),
  });
}

function readEnvelope(text: string): Record<string, unknown> | null {
  try {
    const { error } = JSON.parse(text);
    return typeof error === "object" ? error : null;
  } catch {
    return null;
  }
}

/**
 * Returns the error for a response that does not come from Florin, for example because of a proxy or a wrong
 * `baseUrl`.
 */
function unknownFormat({ status, headers }: Received): Record<string, unknown> {
  const location = headers.get("location");
  return {
    type: status < 500 ? "invalid_request_error" : "api_error",
    code: "response_unreadable",
    message:
      status >= 300 && status < 400 && location
        ? `The response (HTTP ${status}) is a redirect to ${location}, which the client does not follow. Set \`baseUrl\` to the URL at which Florin responds.`
        : `The response (HTTP ${status}) does not come from Florin. Check \`baseUrl\`, and any proxy between the client and Florin.`,
  };
}

/** Parses `Retry-After`, which is a number of seconds or a date (RFC 9110 §10.2.3). */
function readRetryAfter(headers: Headers): number | undefined {
  const value = headers.get("retry-after");
  if (value === null) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
