import type { Logger } from "pino";
import type { CardSearchLog } from "../admin/operator/card-data-scan.jobs.ts";
import type { ConnectionId } from "../core/ids.ts";
import type { Meters } from "../insights/monitoring/process-metrics.ts";
import type { ChargeLog } from "../payments/charges/charge-deps.ts";
import type { DisputeDeps } from "../payments/disputes/record-dispute.ts";
import type { RecoveryLog } from "../payments/inquiries/recovery-sweep.jobs.ts";
import type { NotificationJobDeps } from "../payments/notifications/notification-job-deps.ts";
import type { ReceiveDeps } from "../payments/notifications/receive-notifications.routes.ts";
import type { OperationDeps } from "../payments/operations/operation-deps.ts";
import type { SettlementDeps } from "../payments/settlements/settlement.jobs.ts";
import type { LimitedAttempts } from "../platform/http/count-failures.ts";
import type { ReportLog } from "../platform/http/csp-reports.ts";
import type { ServerLog } from "../platform/http/server.ts";
import type { MailDeps } from "../platform/mail/mail.jobs.ts";
import { traceFields } from "../platform/tracing/active-span.ts";
import type { Reconciliation } from "../reconciliation/reconciliation.ts";
import type { DisabledRule } from "../risk/check-stored-rules.ts";
import type { WalletLog } from "../vault/wallets/configurations/live-wallets.ts";
import type { DeliveryLog } from "../webhooks/delivery/delivery-deps.ts";

/** Every log line of the service. The other modules report what happened, and this module sets level and wording. */
export type LogLines = {
  /** Background work failed and will be retried. */
  failed(name: string, error: unknown): void;
  connectionLost(error: Error): void;
  /** A transaction was retried after a deadlock. */
  deadlock(error: unknown): void;
  /** An acquirer rejected the credentials of a connection several times, which suspends the connection. */
  credentialsRejected(connection: ConnectionId): void;
  /** Requests were not sent, because the rate limit of a connection was reached. */
  connectionRateLimited(connection: ConnectionId, rejections: number): void;
  /** A stored rule is no longer accepted, and was disabled. */
  ruleDisabled(rule: DisabledRule): void;
  /** The database lacks part of the audit log's protection. */
  auditUnprotected(warning: string): void;
  /** Requests with invalid keys or sessions are rejected with 429. */
  attemptsLimited(limited: LimitedAttempts): void;
  readonly server: ServerLog;
  readonly policyViolated: ReportLog;
  readonly charges: ChargeLog;
  readonly operations: OperationDeps["log"];
  readonly notifications: NotificationJobDeps["log"] & ReceiveDeps["log"];
  readonly settlements: SettlementDeps["log"];
  readonly acquirerHealth: RecoveryLog;
  readonly disputes: DisputeDeps["log"];
  readonly reconciliation: { differences(day: Reconciliation): void };
  readonly cardSearch: CardSearchLog;
  readonly deliveries: DeliveryLog;
  readonly wallets: WalletLog;
  readonly mail: MailDeps["log"];
};

export function logLines(logger: Logger, meters?: Meters): LogLines {
  const line = (level: "warn" | "error") => (fields: object, text: string) => {
    meters?.logged(level);
    logger[level]({ ...fields, ...traceFields() }, text);
  };
  const log = { warn: line("warn"), error: line("error") };
  const failed: LogLines["failed"] = (name, error) =>
    log.error({ err: error, name }, `background work failed: ${name}`);
  return {
    failed,
    connectionLost: (error) => log.warn({ reason: error.message }, "database: connection lost"),
    deadlock: (error) => log.warn({ err: error }, "database: transaction retried after a deadlock"),
    credentialsRejected: (connection) =>
      log.error({ connection }, "acquirer: credentials rejected, connection is suspended"),
    connectionRateLimited: (connection, rejections) =>
      log.warn({ connection, rejections }, "acquirer: rate limit of the connection reached"),
    ruleDisabled: (disabled) => log.warn(disabled, "rules: stored rule disabled"),
    auditUnprotected: (warning) => log.warn({ warning }, "audit log: protection is incomplete"),
    attemptsLimited: (limited) =>
      log.warn(limited, "http: IP address range rate-limited after failed authentications"),
    server: {
      fault: (request, error) => log.error({ request, err: error }, "http: request failed"),
    },
    policyViolated: (violation) => log.warn(violation, "csp: violation reported"),
    charges: {
      manualReview: (charge) =>
        log.error({ charge }, "charge: status inquiries exhausted, manual review needed"),
      inquiryFailed: (charge, error) =>
        log.error({ charge, err: error }, "charge: status inquiry failed"),
      failedOver: (charge, outcome) =>
        log.warn({ charge, outcome }, "charge: sent over another connection"),
    },
    operations: {
      manualReview: (operation) =>
        log.error({ operation }, "operation: status inquiries exhausted, manual review needed"),
      inquiryFailed: (operation, error) =>
        log.error({ operation, err: error }, "operation: status inquiry failed"),
    },
    notifications: {
      notificationForged: (connection) =>
        log.warn({ connection }, "acquirer notification: the signature is not valid"),
      notificationInReview: (notification, problem) =>
        log.error(
          { notification, problem },
          "acquirer notification: not fully applied, review needed",
        ),
      notificationUnmatched: (notification) =>
        log.warn({ notification }, "acquirer notification: no charge or operation matches"),
      lateApprovalReversed: (charge) =>
        log.warn({ charge }, "charge: approved after it had failed or was canceled, reversal sent"),
    },
    settlements: {
      reportFailed: ({ connection, merchantAccount, batch }, next, error) =>
        log.error(
          { connection, merchantAccount, batch, next, err: error },
          "settlement report: not applied, will be retried",
        ),
    },
    acquirerHealth: {
      acquirerUnreachable: () => log.warn({}, "acquirer: unreachable, outcomes are pending"),
      acquirerRecovered: () =>
        log.warn({}, "acquirer: reachable again, status inquiries restarted"),
    },
    disputes: {
      responseFailed: (dispute, error) =>
        log.error({ dispute, err: error }, "dispute: response could not be sent"),
      responseRejected: (dispute, problem) =>
        log.warn({ dispute, problem }, "dispute: the acquirer rejected the response"),
    },
    reconciliation: {
      differences: ({ scope, day }) =>
        log.error({ account: scope.account, day }, "reconciliation: differences found"),
    },
    wallets: {
      googleKeysFailed: (code) =>
        log.warn({ code }, "google pay: the root keys could not be loaded"),
      appleSessionFailed: (account, code) =>
        log.warn({ account, code }, "apple pay: Apple returned no merchant session"),
    },
    cardSearch: {
      found: (places) => log.error({ places }, "card data search: card data outside the vault"),
    },
    deliveries: {
      workFailed: failed,
      endpointDisabled: (endpoint, reason) =>
        log.warn({ endpoint, reason }, "webhooks: endpoint disabled"),
    },
    mail: {
      notSent: (mail, reason, next) =>
        next
          ? log.warn({ mail, reason, next }, "email: not sent, will be retried")
          : log.error({ mail, reason }, "email: not sent, no retries left"),
    },
  };
}
