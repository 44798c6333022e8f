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
  /** Executes an operation. With certain faults, declines it. */
  perform(request: OperationRequest, activeFaults?: Faults): Promise<OperationOutcome>;
  inquire(request: OperationInquiry): Promise<OperationOutcome | { kind: "not_found" }>;
  /** Fails a refund. Returns false if no refund with this reference can fail. */
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

  /** Removes the reference from the operation after the replay window, as real acquirers do. Keeps the operation. */
  async function forgetOldReference(request: OperationInquiry): Promise<void> {
    if (replaySafeForMs === Number.POSITIVE_INFINITY) return;
    const before = new Date(clock.now().getTime() - replaySafeForMs);
    await database.autocommit((tx) => forgetReference(tx, request, before));
  }

  return {
    async perform(request, activeFaults = {}) {
      await forgetOldReference(request);
      const line = await database.transaction(async (tx) => {
        const key = approvalOf(request);
        const approval = await lockApproval(tx, key);
        // Read under the lock, so that the second of two identical requests finds the row of the first.
        const known = await readOperationLine(tx, request);
        if (known) return known;
        const { kind, price } = request;
        const now = clock.now();
        const notifyAt = new Date(now.getTime() + resolveAfterMs);
        const decided = applyFaults(
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

    failRefund: (request) => database.autocommit((tx) => failRefundLine(tx, request, clock.now())),

    async sendNotifications() {
      const now = clock.now();
      const until = new Date(now.getTime() + retryAfterMs);
      const claimed = await database.autocommit((tx) =>
        claimOperationNotifications(tx, now, until),
      );
      for (const { account, reference, line } of claimed) {
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
        // A notification that the service rejected is claimed again later.
        if (delivered)
          await database.autocommit((tx) => markOperationNotified(tx, { account, reference }));
      }
      return claimed.length;
    },
  };
}

/** Changes the operation to declined, immediately or later, if the faults require it. */
function applyFaults(activeFaults: Faults, notifyAt: Date, line: OperationLine): OperationLine {
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

/** The time after which an unconfirmed notification is sent again. */
const retryAfterMs = 5_000;

function approvalOf({ account, charge }: OperationRequest): Key {
  return { merchant: uuidOf(account), reference: uuidOf(charge) };
}
