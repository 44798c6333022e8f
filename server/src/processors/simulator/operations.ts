import type { Database } from "../../database/database.ts";
import type { Clock } from "../../primitives/clock.ts";
import { uuidOf } from "../../primitives/ids.ts";
import type {
  OperationAnswer,
  OperationInquiry,
  OperationNotice,
  OperationRequest,
} from "../processor.ts";
import type { Key } from "./authorization.ts";
import type { Faults } from "./faults.ts";
import {
  applyToApproval,
  claimOperationNews,
  failRefundLine,
  insertOperationLine,
  lockApproval,
  markOperationTold,
  readOperationLine,
} from "./operation.sql.ts";
import { decideOperation, type OperationLine, operationAnswer } from "./operation.ts";

/** What the simulated acquirer does to an approval of its own, in transactions of its own. */
export type Operations = {
  /** What the line suffers may make the acquirer refuse. */
  perform(request: OperationRequest, suffering?: Faults): Promise<OperationAnswer>;
  inquire(request: OperationInquiry): Promise<OperationAnswer | { kind: "not_found" }>;
  /** Test mode only: a refund comes back. False when there is none that could. */
  failRefund(request: OperationInquiry): Promise<boolean>;
  /** Tells what has become of things since; answers how much was told. */
  tell(): Promise<number>;
};

export function openOperations(deps: {
  readonly database: Database;
  readonly clock: Clock;
  readonly settleAfterMs: number;
  readonly onNotice: (notice: OperationNotice) => Promise<void>;
}): Operations {
  const { database, clock, settleAfterMs, onNotice } = deps;

  return {
    async perform(request, suffering = {}) {
      const line = await database.transaction(async (tx) => {
        const key = approvalOf(request);
        const approval = await lockApproval(tx, key);
        // Under the lock: of the same request twice, the second finds the first's line.
        const known = await readOperationLine(tx, request);
        if (known) return known;
        const { kind, price } = request;
        const now = clock.now();
        const tellAt = new Date(now.getTime() + settleAfterMs);
        const decided = spoiltBy(
          suffering,
          tellAt,
          decideOperation({ kind, ...price }, approval, tellAt),
        );
        await insertOperationLine(tx, request, decided, now);
        if (decided.state === "done") await applyToApproval(tx, key, kind, now);
        return decided;
      });
      return operationAnswer(line, clock.now());
    },

    async inquire(request) {
      const line = await readOperationLine(database.read, request);
      return line ? operationAnswer(line, clock.now()) : { kind: "not_found" };
    },

    failRefund: (request) => database.transaction((tx) => failRefundLine(tx, request, clock.now())),

    async tell() {
      const now = clock.now();
      const until = new Date(now.getTime() + confirmWithinMs);
      const news = await database.transaction((tx) => claimOperationNews(tx, now, until));
      for (const { account, reference, line } of news) {
        const answer = operationAnswer(line, now);
        const told = await onNotice({ account, livemode: false, reference, answer }).then(
          () => true,
          () => false,
        );
        // Whoever did not take it is told again.
        if (told) await database.transaction((tx) => markOperationTold(tx, { account, reference }));
      }
      return news.length;
    },
  };
}

/** Pure: what was to be done is refused, at once or later. */
function spoiltBy(suffering: Faults, tellAt: Date, line: OperationLine): OperationLine {
  if (line.state !== "done") return line;
  if (suffering.otherAmount) return { ...line, state: "refused", refusal: "invalid_amount" };
  if (!suffering.refuseLate) return line;
  return { state: "pending", refusal: "processing_error", becomes: "refused", tellAt };
}

/** Whoever has not confirmed the news by then is told again. */
const confirmWithinMs = 5_000;

function approvalOf({ account, charge }: OperationRequest): Key {
  return { merchant: uuidOf(account), reference: uuidOf(charge) };
}
