import type { AdminConsole } from "../admin/operator/admin-console.ts";
import { startCardSearch } from "../admin/operator/card-data-scan.jobs.ts";
import { startArchive } from "../admin/retention/archive.jobs.ts";
import { startPartitions } from "../admin/retention/partition.jobs.ts";
import { startRecordExpiry } from "../admin/retention/record-expiry.jobs.ts";
import { startWalletKeyExpiry } from "../admin/wallets/wallet-key-expiry.jobs.ts";
import { startFailedSignIns } from "../identity/people/failed-sign-in.jobs.ts";
import { startPeopleExpiry } from "../identity/people/people.jobs.ts";
import { startMeasuring } from "../insights/metrics/metrics.jobs.ts";
import { startTeamNotifications } from "../insights/notifications/notification.jobs.ts";
import { startRequestLogExpiry } from "../insights/request-log/request-log.jobs.ts";
import { startCheckpoints } from "../payments/balance/checkpoint.jobs.ts";
import { startSearchIndexing } from "../payments/charges/search-index.jobs.ts";
import {
  defaultClosedAccountCardDays,
  startCardRetention,
} from "../payments/checkout/card-retention.jobs.ts";
import { startExpiry } from "../payments/checkout/checkout-session.jobs.ts";
import { startDeadlines, startResponses } from "../payments/disputes/dispute.jobs.ts";
import { startDueCharges } from "../payments/inquiries/due-charges.jobs.ts";
import { startDueVerifications } from "../payments/inquiries/due-verifications.jobs.ts";
import { startRecoverySweep } from "../payments/inquiries/recovery-sweep.jobs.ts";
import { startNotificationJob } from "../payments/notifications/notification.jobs.ts";
import { startDueOperations, startReleases } from "../payments/operations/operation.jobs.ts";
import { startPayouts, startSchedule } from "../payments/payouts/payout.jobs.ts";
import { startReceipts } from "../payments/receipts/receipt.jobs.ts";
import { startSettlements } from "../payments/settlements/settlement.jobs.ts";
import { startClockAdvances } from "../payments/test-clock/test-clock.jobs.ts";
import { startDueAuthentications } from "../payments/three-d-secure/authentication.jobs.ts";
import { startChangeExpiry } from "../platform/changes/change-feed.jobs.ts";
import { startKeyExpiry } from "../platform/idempotency/idempotency.jobs.ts";
import { limitTransactions } from "../platform/jobs/limit-transactions.ts";
import type { Loop } from "../platform/jobs/loop.ts";
import { startMail } from "../platform/mail/mail.jobs.ts";
import { startReconciliation } from "../reconciliation/reconciliation.jobs.ts";
import { startVelocityExpiry } from "../risk/velocity.jobs.ts";
import { startEventExpiry } from "../webhooks/events/event.jobs.ts";
import type { Deps } from "./deps.ts";
import type { AppOptions } from "./options.ts";
import type { Parts } from "./parts.ts";

/**
 * Starts the loops that run in every process. They share risk counters with the other processes, read changes of the
 * configuration and the connections, and write key uses and the request log.
 */
export function startProcessLoops(parts: Parts): Loop[] {
  const { riskServices, keyUses, requestLog, connections, changes, background } = parts;
  return [
    ...riskServices.start(),
    keyUses.start(background),
    requestLog.start(background),
    connections.directory.start(background),
    changes.start(background),
  ];
}

/** Starts the background work of a process with workers. Leases divide the work among all such processes. */
export function startWorkers(
  parts: Parts,
  deps: Deps,
  operator: AdminConsole,
  options: AppOptions,
): Loop[] {
  const { database, clock, background, acquiring, log } = parts;
  const { charges, operations, disputes, sessions } = deps;
  const limited = { database: limitTransactions(database), clock };
  return [
    startDueCharges(charges, background),
    startDueVerifications(charges, background),
    startRecoverySweep(
      { ...charges, acquirerHealth: acquiring.acquirerHealth, log: log.acquirerHealth },
      background,
    ),
    startSearchIndexing(limited, background),
    startMeasuring(limited, background),
    startDueOperations(operations, background),
    startNotificationJob(deps.notifications, background),
    startSettlements(deps.notifications, background),
    startReleases(operations, background),
    startPayouts(operations, background),
    startSchedule(operations, background),
    startClockAdvances(operations, background),
    startCheckpoints(limited, background),
    startReconciliation(
      {
        database,
        clock,
        settlementsOf: acquiring.acquirers.settlementsOf,
        log: log.reconciliation,
      },
      background,
    ),
    startDeadlines(disputes, background),
    startResponses(disputes, background),
    startDueAuthentications(charges, background),
    ...acquiring.testNetwork.start(background),
    startExpiry(sessions, background),
    startCardRetention(
      {
        database,
        clock,
        closedAccountCardDays: options.closedAccountCardDays ?? defaultClosedAccountCardDays,
        ...(options.meters && { onErased: options.meters.erasedCards }),
      },
      background,
    ),
    startTeamNotifications(
      { database, clock, accounts: parts.accounts, publicUrl: options.publicUrl },
      background,
    ),
    startReceipts(deps.receipts, background),
    startKeyExpiry(limited.database, background),
    startChangeExpiry(limited.database, background),
    startPartitions({ database, clock }, background),
    startEventExpiry(limited, background),
    startRequestLogExpiry(limited, background),
    startVelocityExpiry(limited, background),
    startRecordExpiry(limited, background),
    startWalletKeyExpiry({ database, clock }, background),
    ...operator.start(background),
    ...cardSearchLoop(parts, options),
    startPeopleExpiry(limited, background),
    startFailedSignIns({ database, clock }, background),
    ...mailLoop(parts, options),
    ...archiveLoop(parts, options),
  ];
}

function cardSearchLoop({ database, clock, background, log }: Parts, options: AppOptions): Loop[] {
  const hour = options.cardSearchHour ?? null;
  if (hour === null) return [];
  return [startCardSearch({ database, clock, hour, log: log.cardSearch }, background)];
}

function archiveLoop({ database, clock, background }: Parts, { archive }: AppOptions): Loop[] {
  return archive ? [startArchive({ database, clock }, archive, background)] : [];
}

function mailLoop({ database, clock, background, log }: Parts, { sendMail }: AppOptions): Loop[] {
  if (!sendMail) return [];
  return [startMail({ database, clock, send: sendMail, log: log.mail }, background)];
}
