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
import { type Deletion, startDeletions } from "../../platform/jobs/delete-expired.ts";
import type { Background, Loop } from "../../platform/jobs/loop.ts";
import { deleteOldDifferences } from "../../reconciliation/difference.sql.ts";
import {
  deleteOldReconciliations,
  reconciliationLifeMs,
} from "../../reconciliation/reconciliation.sql.ts";
import { deleteOldCosts } from "../../reconciliation/settlement-cost.sql.ts";
import { deleteOldTokenUses, tokenUseLifeMs } from "../../vault/wallets/wallet-token-use.sql.ts";
import { deleteOldProposals, proposalLifeMs } from "../operator/proposal.sql.ts";

/**
 * Deletes rows that are kept for days or years and that no other job deletes. Most statements search an index once for
 * each account and mode. With many accounts, this is expensive, so the job runs only once an hour.
 */
export function startRecordExpiry(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  background: Background,
): Loop {
  const ago = (milliseconds: number) => new Date(clock.now().getTime() - milliseconds);
  const idBefore = (milliseconds: number) => firstUuidAt(ago(milliseconds));
  const deletions: readonly Deletion[] = [
    (tx, limit) => deleteOldNotifications(tx, idBefore(notificationLifeMs), limit),
    (tx, limit) => deleteOldTeamNotifications(tx, idBefore(teamNotificationLifeMs), limit),
    (tx, limit) => deleteOldRedirects(tx, idBefore(redirectLifeMs), limit),
    (tx, limit) => deleteOldDrafts(tx, ago(draftLifeMs), limit),
    (tx, limit) => deleteOldDisputeFiles(tx, idBefore(disputeFileLifeMs), limit),
    (tx, limit) => deleteOldReceipts(tx, idBefore(receiptLifeMs), limit),
    (tx, limit) => deleteOldRuns(tx, idBefore(checkerRunLifeMs), limit),
    (tx, limit) => deleteOldProposals(tx, idBefore(proposalLifeMs), limit),
    (tx, limit) => deleteOldInvitations(tx, ago(invitationLifeMs), limit),
    (tx, limit) => deleteOldHours(tx, Math.floor(ago(paymentHourLifeMs).getTime() / hourMs), limit),
    (tx, limit) =>
      deleteOldApprovals(tx, Math.floor(ago(approvalLifeMs).getTime() / hourMs), limit),
    (tx, limit) => deleteOldCosts(tx, dayOf(ago(approvalLifeMs)), limit),
    (tx, limit) => deleteOldReconciliations(tx, dayOf(ago(reconciliationLifeMs)), limit),
    (tx, limit) => deleteOldDifferences(tx, idBefore(reconciliationLifeMs), limit),
    (tx, limit) => deleteOldTokenUses(tx, ago(tokenUseLifeMs), limit),
  ];
  return startDeletions(
    { name: "expiry of records", everyMs: 60 * 60_000, database, deletions, batchSize: 500 },
    background,
  );
}
