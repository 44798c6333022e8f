import type { OperationOutcome } from "@florin/server/acquiring/outcome.ts";
import type {
  OperationInquiry,
  OperationNotification,
  OperationRequest,
} from "@florin/server/acquiring/processor.ts";
import type { Clock } from "@florin/server/core/clock.ts";
import { uuidOf } from "@florin/server/core/ids.ts";
import type { Database } from "@florin/server/platform/database/database.ts";
import type { Key } from "./authorization.ts";
import type { Faults } from "./faults.ts";
import {
  applyToApproval,
  claimOperationNotifications,
  failRefundLine,
  forgetReference,
  insertOperationLine,
  lockApproval,
  markOperationNotified,
  readOperationLine,
} from "./operation.sql.ts";
import { decideOperation, type OperationLine, operationResponse } from "./operation.ts";

/** Executes captures, voids and refunds of the simulated acquirer, each in a separate transaction. */
export type Operations = {
  /** Executes an operation. A fault can make the acquirer decline it. */
  perform(request: OperationRequest, activeFaults?: Faults): Promise<OperationOutcome>;
  inquire(request: OperationInquiry): Promise<OperationOutcome | { kind: "not_found" }>;
  /** Test mode only: fails a refund. Returns false if there is none that can fail. */
  failRefund(request: OperationInquiry): Promise<boolean>;
  /** Sends due notifications and returns their number. */
  sendNotifications(): Promise<number>;
};

export function createOperations(deps: {
  readonly database: Database;
  readonly clock: Clock;
  readonly resolveAfterMs: number;
  readonly replaySafeForMs: number;
  readonly onNotification: (notification: OperationNotification) => Promise<void>;
}): Operations {
  const { database, clock, resolveAfterMs, replaySafeForMs, onNotification } = deps;

  /** Forgets the reference if the replay window is over. The operation itself remains. */
  async function forgetOldReference(request: OperationInquiry): Promise<void> {
    if (replaySafeForMs === Number.POSITIVE_INFINITY) return;
    const before = new Date(clock.now().getTime() - replaySafeForMs);
    await database.transaction((tx) => forgetReference(tx, request, before));
  }

  return {
    async perform(request, activeFaults = {}) {
      await forgetOldReference(request);
      const line = await database.transaction(async (tx) => {
        const key = approvalOf(request);
        const approval = await lockApproval(tx, key);
        // Checked under the lock, so that the second of two identical requests finds the first one's row.
        const known = await readOperationLine(tx, request);
        if (known) return known;
        const { kind, price } = request;
        const now = clock.now();
        const notifyAt = new Date(now.getTime() + resolveAfterMs);
        const decided = withFault(
          activeFaults,
          notifyAt,
          decideOperation({ kind, ...price }, approval, notifyAt),
        );
        await insertOperationLine(tx, request, decided, now);
        if (decided.state === "done") await applyToApproval(tx, key, kind, now);
        return decided;
      });
      return operationResponse(line, clock.now());
    },

    async inquire(request) {
      await forgetOldReference(request);
      const line = await readOperationLine(database.read, request);
      return line ? operationResponse(line, clock.now()) : { kind: "not_found" };
    },

    failRefund: (request) => database.transaction((tx) => failRefundLine(tx, request, clock.now())),

    async sendNotifications() {
      const now = clock.now();
      const until = new Date(now.getTime() + confirmWithinMs);
      const news = await database.transaction((tx) => claimOperationNotifications(tx, now, until));
      for (const { account, reference, line } of news) {
        const response = operationResponse(line, now);
        const delivered = await onNotification({
          account,
          livemode: false,
          reference,
          response,
        }).then(
          () => true,
          () => false,
        );
        // A notification that the service rejected is sent again.
        if (delivered)
          await database.transaction((tx) => markOperationNotified(tx, { account, reference }));
      }
      return news.length;
    },
  };
}

/** Returns the operation as declined, immediately or later, according to the fault. Pure. */
function withFault(activeFaults: Faults, notifyAt: Date, line: OperationLine): OperationLine {
  if (line.state !== "done") return line;
  if (activeFaults.otherAmount)
    return { ...line, state: "declined", declineCode: "invalid_amount" };
  if (!activeFaults.rejectLate) return line;
  return {
    state: "pending",
    declineCode: "processing_error",
    pendingOutcome: "declined",
    notifyAt,
  };
}

/** A notification that is not confirmed by then is sent again. */
const confirmWithinMs = 5_000;

function approvalOf({ account, charge }: OperationRequest): Key {
  return { merchant: uuidOf(account), reference: uuidOf(charge) };
}
