import type { Clock } from "../../core/clock.ts";
import { createdAt } from "../../core/ids.ts";
import type { Accounts } from "../../identity/accounts/account-cache.ts";
import type { Database } from "../../platform/database/database.ts";
import { type Background, type Loop, startLoop } from "../../platform/jobs/loop.ts";
import { tryToQueueMail } from "../../platform/mail/queue-mail.ts";
import { readCharge } from "../charges/charge.sql.ts";
import { readOperation } from "../operations/operation.sql.ts";
import { operationIdOf } from "../operations/refund.ts";
import {
  advanceReceiptProgress,
  type DueReceipt,
  findDueReceipts,
  insertReceipt,
  markNotSent,
  readReceiptProgress,
} from "./receipt.sql.ts";
import { customerEmail, type ReceiptRefund, receiptEmail } from "./receipt-email.ts";
import { mayReceive, readReceiptPayment, type TestRecipients } from "./receipt-payment.ts";

export type ReceiptDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly accounts: Accounts;
  readonly testRecipients: TestRecipients;
};

/**
 * The stored position stays at least this long behind the current time, so that each turn reads the latest events
 * again. This is necessary because an event gets its ID before its transaction commits. The period is the maximum
 * duration of a commit, including a restart of Postgres.
 */
const lookBackMs = 120_000;

/** The interval at which the position is written. It is long, so that an idle service writes little. */
const writeProgressMs = 60_000;

const batch = 100;

/**
 * Emails receipts of payments and refunds to the customers of accounts that have turned receipts on. The job reads the
 * events after their transactions have committed, so that no payment waits for a receipt.
 */
export function startReceipts(deps: ReceiptDeps, background: Background): Loop {
  const { database, clock } = deps;
  return startLoop({
    name: "receipts",
    everyMs: 5_000,
    background,
    async work() {
      const readTo = new Date(clock.now().getTime() - lookBackMs);
      const progress = await readReceiptProgress(database.read);
      const due = await findDueReceipts(database.read, progress, batch);
      for (const receipt of due) await sendReceipt(deps, receipt);
      if (due.length === batch) return true;
      if (readTo.getTime() - progress.getTime() >= writeProgressMs) {
        await database.autocommit((tx) => advanceReceiptProgress(tx, readTo));
      }
      return false;
    },
  });
}

/**
 * Inserts the receipt and queues its email in one transaction. After a crash, or with several servers, each payment and
 * refund therefore gets one receipt.
 */
async function sendReceipt(deps: ReceiptDeps, receipt: DueReceipt): Promise<void> {
  const { database, clock, accounts, testRecipients } = deps;
  const { scope, chargeId, refundId } = receipt;
  const charge = await readCharge(database.read, scope, chargeId);
  const refund = refundId && (await readRefund(deps, receipt));
  if (charge?.status !== "succeeded" || (refundId && !refund)) {
    // The payment or the refund has failed after it had succeeded.
    await database.autocommit((tx) => insertReceipt(tx, receipt, null));
    return;
  }
  const payment = await readReceiptPayment(database.read, charge);
  const to = customerEmail(payment);
  const account = await accounts.get(scope.account);
  await database.transaction(async (tx) => {
    if (!(await insertReceipt(tx, receipt, to)) || to === null) return;
    const email = { ...receiptEmail(account, payment, refund), to };
    const purpose = scope.livemode
      ? ({ kind: "receipt" } as const)
      : ({ kind: "test_receipt", account: scope.account } as const);
    const isQueued =
      (await mayReceive(tx, scope, testRecipients, to)) &&
      (await tryToQueueMail(tx, email, purpose, clock.now()));
    if (!isQueued) await markNotSent(tx, receipt);
  });
}

async function readRefund(
  { database }: ReceiptDeps,
  { scope, id, refundId }: DueReceipt,
): Promise<ReceiptRefund | null> {
  const operation =
    refundId && (await readOperation(database.read, scope, operationIdOf(refundId)));
  if (operation?.status !== "succeeded") return null;
  return { amountMinor: operation.price.amountMinor, succeededAt: createdAt(id) };
}
