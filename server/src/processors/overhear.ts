import type { Processor } from "./processor.ts";

/** A question that an acquirer was asked, and what came of it. */
export type Overheard = {
  /** Such as `authorize` or `inquire_operation`. */
  readonly question: string;
  readonly answer: { readonly kind: string; readonly why?: string };
  readonly tookMs: number;
};

/** The same acquirer, and somebody who hears what it is asked and what it says. */
export function overhear(processor: Processor, hear: (overheard: Overheard) => void): Processor {
  const heard =
    <Request, Answer extends Overheard["answer"]>(
      question: string,
      ask: (request: Request) => Promise<Answer>,
    ) =>
    async (request: Request): Promise<Answer> => {
      const began = performance.now();
      const answer = await ask(request);
      hear({ question, answer, tookMs: performance.now() - began });
      return answer;
    };
  return {
    name: processor.name,
    // A look-up in tables: nobody is asked.
    lookUp: processor.lookUp,
    authorize: heard("authorize", processor.authorize),
    inquire: heard("inquire", processor.inquire),
    reverse: heard("reverse", processor.reverse),
    operate: heard("operate", processor.operate),
    inquireOperation: heard("inquire_operation", processor.inquireOperation),
    answerDispute: heard("answer_dispute", processor.answerDispute),
    payOut: heard("pay_out", processor.payOut),
    settlementFile: heard("settlement_file", processor.settlementFile),
  };
}
