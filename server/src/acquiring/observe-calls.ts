import type {
  AuthorizeRequest,
  DisputeResponse,
  OperationInquiry,
  OperationRequest,
  PayoutRequest,
  Processor,
  ReferenceRequest,
  SettlementRequest,
} from "./processor.ts";

/** One call to an acquirer, with its result and duration. */
export type ObservedCall = {
  /** The method, such as `authorize` or `inquire_operation`. */
  readonly operation: string;
  /** The reference, case number or day in the request. */
  readonly reference: string;
  readonly response: { readonly kind: string; readonly why?: string };
  readonly durationMs: number;
};

/** Instruments an acquirer: calls `onCall` after each call with the result. */
export function observeCalls(
  processor: Processor,
  onCall: (call: ObservedCall) => void,
): Processor {
  const observed =
    <Request, Response extends ObservedCall["response"]>(
      operation: string,
      send: (request: Request) => Promise<Response>,
      referenceOf: (request: Request) => string,
    ) =>
    async (request: Request): Promise<Response> => {
      const began = performance.now();
      const response = await send(request);
      onCall({
        operation,
        reference: referenceOf(request),
        response,
        durationMs: performance.now() - began,
      });
      return response;
    };
  const reference = (request: { readonly reference: string }) => request.reference;
  return {
    name: processor.name,
    replaySafeForMs: processor.replaySafeForMs,
    // Not instrumented, because a table lookup sends no request.
    lookUp: processor.lookUp,
    authorize: observed(
      "authorize",
      (request: AuthorizeRequest) => processor.authorize(request),
      reference,
    ),
    inquire: observed(
      "inquire",
      (request: ReferenceRequest) => processor.inquire(request),
      reference,
    ),
    reverse: observed(
      "reverse",
      (request: ReferenceRequest) => processor.reverse(request),
      reference,
    ),
    operate: observed(
      "operate",
      (request: OperationRequest) => processor.operate(request),
      reference,
    ),
    inquireOperation: observed(
      "inquire_operation",
      (request: OperationInquiry) => processor.inquireOperation(request),
      reference,
    ),
    respondToDispute: observed(
      "respond_to_dispute",
      (request: DisputeResponse) => processor.respondToDispute(request),
      ({ networkCase }) => networkCase,
    ),
    payOut: observed("pay_out", (request: PayoutRequest) => processor.payOut(request), reference),
    settlementFile: observed(
      "settlement_file",
      (request: SettlementRequest) => processor.settlementFile(request),
      ({ day }) => day,
    ),
  };
}
