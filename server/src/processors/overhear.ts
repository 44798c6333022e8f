import type { Processor } from "./processor.ts";

/** A question that an acquirer was asked, and what came of it. */
export type Overheard = {
  /** Such as `authorize` or `inquire_operation`. */
  readonly question: string;
  /** The reference, the case or the day that it was about. */
  readonly about: string;
  readonly answer: { readonly kind: string; readonly why?: string };
  readonly tookMs: number;
};

/** The same acquirer, and somebody who hears what it is asked and what it says. */
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
  const { authorize, inquire, reverse, operate, inquireOperation, payOut } = processor;
  const reference = (request: { readonly reference: string }) => request.reference;
  return {
    name: processor.name,
    // A look-up in tables: nobody is asked.
    lookUp: processor.lookUp,
    authorize: heard("authorize", authorize, reference),
    inquire: heard("inquire", inquire, reference),
    reverse: heard("reverse", reverse, reference),
    operate: heard("operate", operate, reference),
    inquireOperation: heard("inquire_operation", inquireOperation, reference),
    answerDispute: heard("answer_dispute", processor.answerDispute, (told) => told.networkCase),
    payOut: heard("pay_out", payOut, reference),
    settlementFile: heard("settlement_file", processor.settlementFile, ({ day }) => day),
  };
}
