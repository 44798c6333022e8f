import type {
  AuthorizeRequest,
  DisputeAnswer,
  OperationInquiry,
  OperationRequest,
  PayoutRequest,
  Processor,
  ReferenceRequest,
  SettlementRequest,
} from "./processor.ts";

/** One call of an acquirer, with its result and duration. */
export type Overheard = {
  /** The method, such as `authorize` or `inquire_operation`. */
  readonly question: string;
  /** The reference, the case or the day of the request. */
  readonly about: string;
  readonly answer: { readonly kind: string; readonly why?: string };
  readonly tookMs: number;
};

/** Instruments an acquirer: the callback receives the result of each call. */
export function overhear(processor: Processor, hear: (overheard: Overheard) => void): Processor {
  const heard =
    <Request, Answer extends Overheard["answer"]>(
      question: string,
      ask: (request: Request) => Promise<Answer>,
      aboutOf: (request: Request) => string,
    ) =>
    async (request: Request): Promise<Answer> => {
      const began = performance.now();
      const answer = await ask(request);
      hear({ question, about: aboutOf(request), answer, tookMs: performance.now() - began });
      return answer;
    };
  const reference = (request: { readonly reference: string }) => request.reference;
  return {
    name: processor.name,
    // Not instrumented: a table lookup sends no request.
    lookUp: processor.lookUp,
    authorize: heard(
      "authorize",
      (request: AuthorizeRequest) => processor.authorize(request),
      reference,
    ),
    inquire: heard("inquire", (request: ReferenceRequest) => processor.inquire(request), reference),
    reverse: heard("reverse", (request: ReferenceRequest) => processor.reverse(request), reference),
    operate: heard("operate", (request: OperationRequest) => processor.operate(request), reference),
    inquireOperation: heard(
      "inquire_operation",
      (request: OperationInquiry) => processor.inquireOperation(request),
      reference,
    ),
    answerDispute: heard(
      "answer_dispute",
      (request: DisputeAnswer) => processor.answerDispute(request),
      ({ networkCase }) => networkCase,
    ),
    payOut: heard("pay_out", (request: PayoutRequest) => processor.payOut(request), reference),
    settlementFile: heard(
      "settlement_file",
      (request: SettlementRequest) => processor.settlementFile(request),
      ({ day }) => day,
    ),
  };
}
