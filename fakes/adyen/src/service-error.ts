export type ErrorType = "validation" | "security" | "configuration" | "internal";

/** An error response in Adyen's form (schema `ServiceError` of CheckoutService-v72). */
export class ServiceError extends Error {
  readonly status: number;
  readonly errorCode: string;
  readonly errorType: ErrorType;

  constructor(status: number, errorCode: string, message: string, errorType: ErrorType) {
    super(message);
    this.status = status;
    this.errorCode = errorCode;
    this.errorType = errorType;
  }

  get body(): Record<string, unknown> {
    return {
      status: this.status,
      errorCode: this.errorCode,
      message: this.message,
      errorType: this.errorType,
    };
  }
}

export function invalid(errorCode: string, message: string): ServiceError {
  return new ServiceError(422, errorCode, message, "validation");
}

export function unauthorized(): ServiceError {
  return new ServiceError(401, "000", "HTTP Status Response - Unauthorized", "security");
}

export function invalidMerchantAccount(): ServiceError {
  return new ServiceError(403, "901", "Invalid Merchant Account", "security");
}

export function unreadable(message: string): ServiceError {
  return new ServiceError(400, "702", message, "validation");
}

export function notFound(): ServiceError {
  return new ServiceError(404, "700", "Not Found", "validation");
}
