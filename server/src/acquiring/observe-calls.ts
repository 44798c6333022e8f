import type { Processor } from "./processor.ts";

/** One call to an acquirer, with its result and duration. */
export type ObservedCall = {
  /** The method, such as `authorize` or `inquire_operation`. */
  readonly operation: string;
  /** The reference, case number or day in the request. */
  readonly reference: string;
  readonly response: { readonly kind: string; readonly why?: string };
  readonly durationMs: number;
};

/** Returns an acquirer that calls `onCall` with the result of each call. */
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
  const { authorizeGatewayToken, verifyCard, resume, inquire, inquireOperation } = processor;
  const { payOut, settlementFile } = processor;
  return {
    name: processor.name,
    assignmentId: processor.assignmentId,
    replaySafeForMs: processor.replaySafeForMs,
    // `lookUp` is not instrumented, because a table lookup sends no request.
    lookUp: processor.lookUp,
    authorize: observed("authorize", processor.authorize, reference),
    authorizeGatewayToken:
      authorizeGatewayToken &&
      observed("authorize_gateway_token", authorizeGatewayToken, reference),
    verifyCard: verifyCard && observed("verify_card", verifyCard, reference),
    resume: resume && observed("resume", resume, reference),
    authorizesBeforeReturn: processor.authorizesBeforeReturn,
    inquire: inquire && observed("inquire", inquire, reference),
    reverse: observed("reverse", processor.reverse, reference),
    operate: observed("operate", processor.operate, reference),
    inquireOperation:
      inquireOperation && observed("inquire_operation", inquireOperation, reference),
    respondToDispute: observed(
      "respond_to_dispute",
      processor.respondToDispute,
      ({ networkCase }) => networkCase,
    ),
    // Returned without a wrapper, because it is a constant and sends no request.
    evidenceLimits: processor.evidenceLimits,
    payOut: payOut && observed("pay_out", payOut, reference),
    settlementFile: settlementFile && observed("settlement_file", settlementFile, ({ day }) => day),
  };
}
