import type { DeclineCode } from "@florin/contract/declines.ts";
import { type ErrorCode, errorCodes, errorDocPath } from "@florin/contract/errors.ts";
import type { ChargeId } from "./ids.ts";
import { maskSecrets } from "./mask-secrets.ts";

/**
 * An error that is shown to the caller: a mistake of the caller or a failure of the service. docs/reference/errors.md
 * lists the codes. The message names the problem, what was expected and the fix.
 */
export class ApiError extends Error {
  override name = "ApiError";
  readonly code: ErrorCode;
  readonly details: ApiErrorDetails;

  constructor(code: ErrorCode, message: string, details: ApiErrorDetails = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return this.details.status ?? errorCodes[this.code].status;
  }
}

export type ApiErrorDetails = {
  /** The offending parameter, as the caller would write it: `line_items[0].amount`. */
  readonly param?: string;
  readonly declineCode?: DeclineCode;
  readonly adviceCode?: string | null;
  readonly networkDeclineCode?: string | null;
  readonly charge?: ChargeId;
  /**
   * Overrides the code's status. `resource_missing` is 404 for an ID in the path and 400 for an ID in a body or query.
   */
  readonly status?: number;
  readonly retryAfterSeconds?: number;
  readonly headers?: Readonly<Record<string, string>>;
};

/**
 * Returns the error for an unknown ID in the path. The error is the same for an object of another merchant, an object
 * of the other mode and an object that never existed, so that it does not reveal which IDs exist.
 */
export function noSuch(noun: string, id: string): ApiError {
  return new ApiError("resource_missing", `No such ${noun}: '${id}'.`, {
    status: 404,
    param: "id",
  });
}

/** Returns the error for an unknown ID in a body or a query. */
export function noSuchParameter(noun: string, id: string, param: string): ApiError {
  const message = `\`${param}\` must be the ID of an existing ${noun}. Got '${id}'.`;
  return new ApiError("resource_missing", message, { status: 400, param });
}

/** Renders the error response as JSON. `baseUrl` is the service's public URL, for the link to the docs. */
export function renderError(error: ApiError, requestId: string | null, baseUrl: string): string {
  const { details, code, message } = error;
  return JSON.stringify({
    error: {
      type: errorCodes[code].type,
      code,
      // `message` and `param` may repeat text from the request, and that text may contain a card number.
      message: maskSecrets(message),
      param: details.param && maskSecrets(details.param),
      decline_code: details.declineCode,
      advice_code: details.adviceCode ?? undefined,
      network_decline_code: details.networkDeclineCode ?? undefined,
      charge: details.charge,
      doc_url: `${baseUrl}${errorDocPath(code)}`,
      request_id: requestId ?? undefined,
    },
  });
}
