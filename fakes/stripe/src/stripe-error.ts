/** The response to a request that the fake rejects or declines (docs.stripe.com/api/errors). */
export class StripeError extends Error {
  readonly status: number;
  readonly type: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /**
   * False if the request was rejected before its execution. Only executed requests are stored under their idempotency
   * key (docs.stripe.com/api/idempotent_requests).
   */
  readonly isExecuted: boolean;

  constructor(
    status: number,
    type: string,
    message: string,
    fields: Readonly<Record<string, unknown>> = {},
    isExecuted = false,
  ) {
    super(message);
    this.status = status;
    this.type = type;
    this.fields = fields;
    this.isExecuted = isExecuted;
  }

  get body(): object {
    return { error: { message: this.message, type: this.type, ...this.fields } };
  }
}

export function invalid(message: string, param: string, code = "parameter_invalid_empty") {
  return new StripeError(400, "invalid_request_error", message, { code, param });
}

export function missing(param: string): StripeError {
  return invalid(`Missing required param: ${param}.`, param, "parameter_missing");
}

export function noSuch(object: string, id: string, param = "id"): StripeError {
  const fields = { code: "resource_missing", param };
  return new StripeError(404, "invalid_request_error", `No such ${object}: '${id}'`, fields);
}

/** The state of the object does not allow the request. */
export function unexpectedState(
  message: string,
  code: string,
  fields: Readonly<Record<string, unknown>> = {},
): StripeError {
  return new StripeError(400, "invalid_request_error", message, { code, ...fields }, true);
}
