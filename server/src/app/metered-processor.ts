import type { Meters } from "../monitoring/meters.ts";
import type { Processor } from "../processors/processor.ts";

/** The same acquirer; what it is asked, what it says and how long it takes is counted. */
export function meteredProcessor(processor: Processor, meters: Meters): Processor {
  const { name } = processor;
  const counted =
    <Request, Answer extends { readonly kind: string; readonly why?: string }>(
      question: string,
      ask: (request: Request) => Promise<Answer>,
    ) =>
    async (request: Request): Promise<Answer> => {
      const began = performance.now();
      const answer = await ask(request);
      const word = answer.why === undefined ? answer.kind : `${answer.kind}_${answer.why}`;
      const took = (performance.now() - began) / 1000;
      meters.asked({ processor: name, question, answer: word }, took);
      return answer;
    };
  return {
    name,
    // A look-up in tables: nobody is asked.
    lookUp: processor.lookUp,
    authorize: counted("authorize", processor.authorize),
    inquire: counted("inquire", processor.inquire),
    reverse: counted("reverse", processor.reverse),
    operate: counted("operate", processor.operate),
    inquireOperation: counted("inquire_operation", processor.inquireOperation),
    answerDispute: counted("answer_dispute", processor.answerDispute),
    payOut: counted("pay_out", processor.payOut),
    settlementFile: counted("settlement_file", processor.settlementFile),
  };
}
