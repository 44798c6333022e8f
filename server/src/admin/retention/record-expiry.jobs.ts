import type { Clock } from "../../core/clock.ts";
import { firstUuidAt } from "../../core/ids.ts";
import { dayOf } from "../../core/utc-day.ts";
import { deleteOldInvitations, invitationLifeMs } from "../../identity/team/invitation.sql.ts";
import { approvalLifeMs, deleteOldApprovals } from "../../insights/metrics/approval.sql.ts";
import { deleteOldHours, paymentHourLifeMs } from "../../insights/metrics/metrics.sql.ts";
import { hourMs } from "../../insights/metrics/tally.ts";
import { checkerRunLifeMs, deleteOldRuns } from "../../insights/monitoring/checker-run.sql.ts";
import { deleteOldTeamNotifications } from "../../insights/notifications/notification.sql.ts";
import { notificationLifeMs as teamNotificationLifeMs } from "../../insights/notifications/notification.ts";
import {
  deleteOldRedirects,
  redirectLifeMs,
} from "../../payments/charges/acquirer-redirect.sql.ts";
import {
  deleteOldDisputeFiles,
  disputeFileLifeMs,
} from "../../payments/disputes/dispute-file.sql.ts";
import { deleteOldDrafts, draftLifeMs } from "../../payments/disputes/evidence-draft.sql.ts";
import {
  deleteOldNotifications,
  notificationLifeMs,
} from "../../payments/notifications/acquirer-notification.sql.ts";
import { deleteOldReceipts } from "../../payments/receipts/receipt.sql.ts";
import { receiptLifeMs } from "../../payments/receipts/receipt.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { type Background, type Loop, startLoop } from "../../platform/jobs/loop.ts";
import { deleteOldDifferences } from "../../reconciliation/difference.sql.ts";
import {
  deleteOldReconciliations,
  reconciliationLifeMs,
} from "../../reconciliation/reconciliation.sql.ts";
import { deleteOldCosts } from "../../reconciliation/settlement-cost.sql.ts";
import { deleteOldTokenUses, tokenUseLifeMs } from "../../vault/wallets/wallet-token-use.sql.ts";
import { deleteOldProposals, proposalLifeMs } from "../operator/proposal.sql.ts";

/** The batch is small, so that no other transaction waits for a long deletion. */
const batchSize = 500;

/**
 * Deletes rows that are kept for days or years and that no other job deletes. The statements read the oldest rows of
 * each account by primary key, so the job runs only once an hour.
 */
export function startRecordExpiry(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  background: Background,
): Loop {
  const ago = (milliseconds: number) => new Date(clock.now().getTime() - milliseconds);
  const idBefore = (milliseconds: number) => firstUuidAt(ago(milliseconds));
  const deletions: ((tx: Tx) => Promise<number>)[] = [
    (tx) => deleteOldNotifications(tx, idBefore(notificationLifeMs), batchSize),
    (tx) => deleteOldTeamNotifications(tx, idBefore(teamNotificationLifeMs), batchSize),
    (tx) => deleteOldRedirects(tx, idBefore(redirectLifeMs), batchSize),
    (tx) => deleteOldDrafts(tx, ago(draftLifeMs), batchSize),
    (tx) => deleteOldDisputeFiles(tx, idBefore(disputeFileLifeMs), batchSize),
    (tx) => deleteOldReceipts(tx, idBefore(receiptLifeMs), batchSize),
    (tx) => deleteOldRuns(tx, idBefore(checkerRunLifeMs), batchSize),
    (tx) => deleteOldProposals(tx, idBefore(proposalLifeMs), batchSize),
    (tx) => deleteOldInvitations(tx, ago(invitationLifeMs), batchSize),
    (tx) => deleteOldHours(tx, Math.floor(ago(paymentHourLifeMs).getTime() / hourMs), batchSize),
    (tx) => deleteOldApprovals(tx, Math.floor(ago(approvalLifeMs).getTime() / hourMs), batchSize),
    (tx) => deleteOldCosts(tx, dayOf(ago(approvalLifeMs)), batchSize),
    (tx) => deleteOldReconciliations(tx, dayOf(ago(reconciliationLifeMs)), batchSize),
    (tx) => deleteOldDifferences(tx, idBefore(reconciliationLifeMs), batchSize),
    (tx) => deleteOldTokenUses(tx, ago(tokenUseLifeMs), batchSize),
  ];
  return startLoop({
    name: "expiry of records",
    everyMs: 60 * 60_000,
    background,
    async work(signal) {
      let more = false;
      for (const remove of deletions) {
        if (signal.aborted) return false;
        if ((await database.autocommit(remove)) === batchSize) more = true;
      }
      return more;
    },
  });
}
