import type { Database } from "../../database/database.ts";
import { QueueFull } from "../../database/group-commit.ts";
import { type Loop, startLoop } from "../../jobs/loop.ts";
import type { Clock } from "../../primitives/clock.ts";
import { type AccountId, newId } from "../../primitives/ids.ts";
import type {
  AuthorizeRequest,
  DisputeAnswer,
  DisputeNotice,
  InquiryAnswer,
  OperationAnswer,
  OperationInquiry,
  OperationNotice,
  OperationRequest,
  PayoutRequest,
  Processor,
  ProcessorAnswer,
  ProcessorNotice,
  ReferenceRequest,
} from "../processor.ts";
import { type AmountTrigger, triggerOf } from "./amount-triggers.ts";
import { readAuthorizations, reverseAuthorization, settlePending } from "./authorization.sql.ts";
import { answerOf, type Decision, decide, isDue, keyOf } from "./authorization.ts";
import { openBooks, type Recorded } from "./books.ts";
import { traitsOf } from "./card-traits.ts";
import type { CasePlan } from "./case-plan.ts";
import { openCases } from "./cases.ts";
import { type Faults, type Message, openMisfortunes } from "./faults.ts";
import { insertSequel } from "./operation.sql.ts";
import { openOperations } from "./operations.ts";
import { failPayout, payOut } from "./payouts.ts";
import { openSettlement } from "./settlement.ts";
import { connectionLost, invalidResponse, openWire, silence, type Unheard } from "./wire.ts";

/**
 * The acquirer of test mode. It keeps books of its own, in transactions of its own, and may be asked by any
 * number of server processes, of which any may be killed at any moment: what it has answered, it has kept.
 *
 * Its promise, which every live acquirer must make as well:
 * - one reference is approved at most once, however often and from wherever it is asked;
 * - "approved" is answered only after the approval is durable;
 * - after `reverse` has answered "reversed", no approval stands under that reference, and none ever will.
 */
export type Simulator = Processor & {
  /** Spoils the line from now on, until the next call; `{}` heals it. With a merchant, only this merchant's. */
  misbehave(faults: Faults, merchant?: AccountId): void;
  /** A refund that was given, or is pending, comes back from the cardholder's bank. False when there is none. */
  failRefund(request: OperationInquiry): Promise<boolean>;
  /** The bank sends a payout back; false when it never had it. */
  failPayout(request: Pick<PayoutRequest, "account" | "reference">): Promise<boolean>;
  /** A cardholder objects to a payment, and the service is told; answers the case's number. */
  openDispute(
    about: ReferenceRequest,
    wanted: CasePlan & { readonly amountMinor: number | null },
  ): Promise<string>;
  /** The network decides a case, and the service is told. False when there is none open. */
  closeDispute(
    which: Pick<DisputeAnswer, "account" | "networkCase">,
    outcome: "won" | "lost",
  ): Promise<boolean>;
  /** Whether the service has heard all that there is to say of a case. */
  hasHeardOf(which: Pick<DisputeAnswer, "account" | "networkCase">): Promise<boolean>;
  /** Sends the notices that are due, until it is stopped. */
  startNotices(onError: (name: string, error: unknown) => void): Loop;
  /** Callers who still wait hear that the connection was lost; notices not sent yet are never sent. */
  close(): Promise<void>;
};

export type SimulatorTiming = {
  /** How long a caller waits for an answer before it is `unknown` (trust: 20 s for the acquirer). */
  readonly answerWithinMs: number;
  /** How long amount trigger 4004 takes to answer. */
  readonly slowAnswerMs: number;
  /** How long amount triggers 4005 and 4006 stay pending. */
  readonly settleAfterMs: number;
};

export const usualTiming: SimulatorTiming = {
  answerWithinMs: 20_000,
  slowAnswerMs: 15_000,
  settleAfterMs: 30_000,
};

export type SimulatorOptions = {
  readonly database: Database;
  readonly clock: Clock;
  readonly timing?: SimulatorTiming;
  /** The service's door for notices. An acquirer does not wait for it, and does not care if it fails. */
  readonly onNotice?: (notice: ProcessorNotice) => void | Promise<void>;
  /** The same for what becomes of an operation; told again until it does not throw. */
  readonly onOperation?: (notice: OperationNotice) => Promise<void>;
  /** And for disputes. */
  readonly onDispute?: (notice: DisputeNotice) => Promise<void>;
};

export function openSimulator(options: SimulatorOptions): Simulator {
  const { database, clock, timing = usualTiming, onNotice = () => undefined } = options;
  const books = openBooks(database, clock);
  const wire = openWire();
  const misfortunes = openMisfortunes();
  const stuck = new Map<string, () => void>();
  const operations = openOperations({
    database,
    clock,
    settleAfterMs: timing.settleAfterMs,
    onNotice: options.onOperation ?? (() => Promise.resolve()),
  });
  const cases = openCases({
    database,
    clock,
    opensAfterMs: timing.settleAfterMs,
    onNotice: options.onDispute ?? (() => Promise.resolve()),
  });

  function authorize(request: AuthorizeRequest): Promise<ProcessorAnswer> {
    const struck = misfortunes.strike("authorize", request.account);
    const forced = struck && triggerOf(struck);
    const decision = decide(request, clock.now(), timing.settleAfterMs, forced);
    const suffering = decision.trigger?.kind === "line" ? decision.trigger.faults : struck;
    const isPlain =
      decision.trigger === null && decision.sequel === null && decision.casePlan === null;
    // The path of nearly every charge: one line in a shared commit, and no timer.
    if (suffering === null && isPlain) {
      return books(decision.authorization).then(
        (recorded) => heardOf(request, recorded),
        (error: unknown) => (error instanceof QueueFull ? { kind: "not_sent" } : connectionLost),
      );
    }
    return wire.withinDeadline(
      timing.answerWithinMs,
      authorizeBadly(request, decision, suffering ?? {}),
      (answer) => void notify(request, answer),
    );
  }

  async function authorizeBadly(
    request: AuthorizeRequest,
    { authorization, trigger, sequel, casePlan }: Decision,
    suffering: Faults,
  ): Promise<ProcessorAnswer> {
    if (suffering.dropBefore) return silence();
    if (suffering.arriveAfterNotFound) await untilNotFound(request);
    if (suffering.hangMs) await wire.pause(suffering.hangMs);
    if (trigger?.kind === "times_out" && !trigger.moneyMoved) return silence();
    if (trigger?.kind === "answers_garbage") return invalidResponse;

    // Before the approval, so that no operation finds one without it.
    if (sequel) await database.transaction((tx) => insertSequel(tx, authorization, sequel));
    if (casePlan) await cases.plan(authorization, casePlan);
    const recorded = await books(authorization);
    const answer = await heardOf(request, recorded);
    // A reference that is asked about again is answered plainly: the trouble was in the first answer.
    if (recorded.first && trigger) await cause(trigger, request, answer);

    if (suffering.answerTwice) void notify(request, answer);
    if (suffering.otherReference) {
      void notify({ ...request, reference: newId("ch", clock.now()) }, answer);
    }
    return garble(answer, suffering);
  }

  /** What is left of an answer on its way back. */
  async function garble<Answer>(answer: Answer, suffering: Faults): Promise<Answer | Unheard> {
    if (suffering.delayMs) await wire.pause(suffering.delayMs);
    if (suffering.dropAfter || suffering.hangMs) return silence();
    if (suffering.reset) return connectionLost;
    // Whoever is answered about something else has not been answered.
    return suffering.garbage || suffering.otherReference ? invalidResponse : answer;
  }

  /** What a trigger in the amount does between the line in the books and its answer. */
  async function cause(
    trigger: AmountTrigger,
    request: ReferenceRequest,
    answer: ProcessorAnswer,
  ): Promise<void> {
    if (trigger.kind === "times_out") return silence();
    if (trigger.kind === "answers_slowly") return wire.pause(timing.slowAnswerMs);
    if (trigger.kind === "pending") void tellWhenSettled(request);
    if (trigger.kind === "notice") await causeNotices(trigger.comes, request, answer);
  }

  async function causeNotices(
    comes: "twice" | "out_of_order" | "before_the_answer",
    request: ReferenceRequest,
    answer: ProcessorAnswer,
  ): Promise<void> {
    if (comes === "before_the_answer") return notify(request, answer);
    const [first, second]: ProcessorAnswer[] =
      comes === "twice" ? [answer, answer] : [answer, { kind: "pending" }];
    // Not awaited: these arrive around the answer, in whatever order the service happens to read them.
    void notify(request, first as ProcessorAnswer).then(() =>
      notify(request, second as ProcessorAnswer),
    );
  }

  async function tellWhenSettled(request: ReferenceRequest): Promise<void> {
    // A timer may ring a millisecond before the clock says so.
    await wire.pause(timing.settleAfterMs + 5);
    const answer = await readBooks(request).catch(() => null);
    if (answer && answer.kind !== "not_found") await notify(request, answer);
  }

  async function notify(request: ReferenceRequest, answer: ProcessorAnswer): Promise<void> {
    const { account, reference } = request;
    try {
      await onNotice({ account, livemode: false, reference, answer });
    } catch {
      // A notice is news, not proof: whoever misses it inquires.
    }
  }

  function heardOf(
    request: ReferenceRequest,
    { line, first }: Recorded,
  ): ProcessorAnswer | Promise<ProcessorAnswer> {
    if (first || !isDue(line, clock.now())) return answerOf(line);
    return readBooks(request).then((answer) =>
      answer.kind === "not_found" ? connectionLost : answer,
    );
  }

  async function readBooks(request: ReferenceRequest): Promise<InquiryAnswer> {
    const key = keyOf(request);
    const now = clock.now();
    const [line] = await readAuthorizations(database.read, [key]);
    if (!line) return { kind: "not_found" };
    if (!isDue(line, now)) return answerOf(line);
    await database.transaction((tx) => settlePending(tx, key, now));
    // Read again rather than believed: a reversal may have been first.
    const [settled = line] = await readAuthorizations(database.read, [key]);
    return answerOf(settled);
  }

  async function reverse(request: ReferenceRequest): Promise<{ readonly kind: "reversed" }> {
    await database.transaction((tx) => reverseAuthorization(tx, keyOf(request), clock.now()));
    return { kind: "reversed" };
  }

  /** Anything but an authorisation, over the same unreliable line. */
  function ask<Answer>(
    message: Message,
    account: AccountId,
    work: (suffering: Faults) => Promise<Answer>,
  ): Promise<Answer | Unheard> {
    const suffering = misfortunes.strike(message, account) ?? {};
    return wire.withinDeadline(timing.answerWithinMs, converse(), drop);

    async function converse(): Promise<Answer | Unheard> {
      if (suffering.dropBefore) return silence();
      if (suffering.hangMs) await wire.pause(suffering.hangMs);
      return garble(await work(suffering), suffering);
    }
  }

  async function releasing<Answer extends { readonly kind: string }>(
    request: ReferenceRequest,
    work: Promise<Answer>,
  ): Promise<Answer> {
    const answer = await work;
    if (answer.kind === "not_found" || answer.kind === "reversed") release(request);
    return answer;
  }

  function operate(request: OperationRequest): Promise<OperationAnswer> {
    const { account, reference, kind } = request;
    return ask(kind, account, async (suffering) => {
      const answer = await operations.perform(request, suffering);
      if (suffering.answerTwice) tellOperation({ account, reference, answer });
      if (suffering.otherReference) {
        tellOperation({ account, reference: newId("op", clock.now()), answer });
      }
      return answer;
    });
  }

  /** Said once: whoever misses it inquires. */
  function tellOperation(notice: Omit<OperationNotice, "livemode">): void {
    options.onOperation?.({ ...notice, livemode: false }).catch(() => undefined);
  }

  function inquire(request: ReferenceRequest): Promise<InquiryAnswer> {
    return ask("inquire", request.account, async (suffering) => {
      const answer = await releasing(request, readBooks(request));
      if (answer.kind === "not_found") return answer;
      if (suffering.answerTwice) void notify(request, answer);
      if (suffering.refuseLate) return { kind: "pending" };
      const isHalved = suffering.otherAmount && answer.kind === "approved";
      return isHalved ? { ...answer, approvedMinor: Math.floor(answer.approvedMinor / 2) } : answer;
    });
  }

  function untilNotFound(request: ReferenceRequest): Promise<void> {
    return new Promise((arrive) => stuck.set(request.reference, arrive));
  }

  function release(request: ReferenceRequest): void {
    stuck.get(request.reference)?.();
    stuck.delete(request.reference);
  }

  const settlement = openSettlement(database, clock);

  return {
    name: settlement.name,
    // `arriveAfterNotFound` may hold a request for any time, as a network may: only a reversal is final.
    lookUp: traitsOf,
    authorize,
    inquire,
    reverse: (request) =>
      ask("reverse", request.account, () => releasing(request, reverse(request))),
    operate,
    inquireOperation: (request) =>
      ask("inquire", request.account, () => operations.inquire(request)),
    answerDispute: (answer) => ask("dispute", answer.account, () => cases.answer(answer)),
    payOut: (request) =>
      ask("payout", request.account, () =>
        payOut(database, request, clock.now(), timing.settleAfterMs),
      ),
    settlementFile: (request) =>
      ask("settlement", request.account, () => settlement.settlementFile(request)),
    failRefund: operations.failRefund,
    failPayout: (request) => failPayout(database, request),
    async openDispute({ account, reference }, wanted) {
      const networkCase = await cases.open(keyOf({ account, reference }), wanted);
      await cases.tell();
      return networkCase;
    },
    async closeDispute(which, outcome) {
      const isClosed = await cases.decide(which, outcome);
      await cases.tell();
      return isClosed;
    },
    hasHeardOf: cases.isTold,
    startNotices: (onError) =>
      startLoop({
        name: "acquirer's notices",
        everyMs: 500,
        onError,
        work: async () => (await operations.tell()) + (await cases.tell()),
      }),
    misbehave: (faults, merchant) => misfortunes.begin(faults, merchant ?? null),
    async close() {
      wire.close();
      await books.close();
    },
  };
}

/** Late news of an inquiry or a reversal helps nobody: whoever needs it asks again. */
const drop = (): void => undefined;
