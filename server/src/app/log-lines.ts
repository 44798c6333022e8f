import type { Logger } from "pino";
import type { CardSearchLog } from "../admin/operator/card-search.jobs.ts";
import type { Meters } from "../insights/monitoring/meters.ts";
import type { CatchUpLog } from "../payments/charges/catch-up.jobs.ts";
import type { ChargeLog } from "../payments/charges/charge-deps.ts";
import type { OperationDeps } from "../payments/charges/operation-deps.ts";
import type { ReportLog } from "../payments/checkout/csp-reports.ts";
import type { DisputeDeps } from "../payments/disputes/record-dispute.ts";
import type { LimitedAttempts } from "../platform/http/count-failures.ts";
import type { ServerLog } from "../platform/http/server.ts";
import type { MailDeps } from "../platform/mail/mail.jobs.ts";
import type { Reconciliation } from "../reconciliation/reconciliation.ts";
import type { DisabledRule } from "../risk/check-stored-rules.ts";
import type { DeliveryLog } from "../webhooks/delivery/delivery-deps.ts";

/** Every log line of the service. A slice reports what happened, and this module sets level and wording. */
export type LogLines = {
  /** Background work failed and will be retried. */
  failed(name: string, error: unknown): void;
  connectionLost(error: Error): void;
  /** A transaction was retried after a deadlock. */
  deadlock(error: unknown): void;
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
  readonly line: CatchUpLog;
  readonly disputes: DisputeDeps["log"];
  readonly reconciliation: { differences(day: Reconciliation): void };
  readonly cardSearch: CardSearchLog;
  readonly deliveries: DeliveryLog;
  readonly mail: MailDeps["log"];
};

export function logLines(logger: Logger, meters?: Meters): LogLines {
  const line = (level: "warn" | "error") => (fields: object, text: string) => {
    meters?.logged(level);
    logger[level](fields, text);
  };
  const log = { warn: line("warn"), error: line("error") };
  const failed: LogLines["failed"] = (name, error) => log.error({ err: error, name }, "failed");
  return {
    failed,
    connectionLost: (error) =>
      log.warn({ reason: error.message }, "a database connection was lost"),
    deadlock: (error) => log.warn({ err: error }, "a transaction was run again after a deadlock"),
    ruleDisabled: (disabled) => log.warn(disabled, "a stored rule was disabled"),
    auditUnprotected: (warning) => log.warn({ warning }, "audit log: protection is incomplete"),
    attemptsLimited: (limited) =>
      log.warn(limited, "failed authentications of a network are limited"),
    server: {
      fault: (request, error) => log.error({ request, err: error }, "a request failed"),
    },
    policyViolated: (violation) => log.warn(violation, "a page's policy was violated"),
    charges: {
      manualReview: (charge) => log.error({ charge }, "no inquiry could explain a charge"),
      inquiryFailed: (charge, error) => log.error({ charge, err: error }, "an inquiry failed"),
    },
    operations: {
      manualReview: (operation) =>
        log.error({ operation }, "no inquiry could explain an operation"),
      inquiryFailed: (operation, error) =>
        log.error({ operation, err: error }, "an inquiry about an operation failed"),
    },
    line: {
      acquirerSilent: () =>
        log.warn({}, "the acquirer does not answer: payments wait for its word"),
      acquirerAnswers: () => log.warn({}, "the acquirer answers again: what waits is asked about"),
    },
    disputes: {
      answerFailed: (dispute, error) =>
        log.error({ dispute, err: error }, "an answer to a dispute could not be sent"),
    },
    reconciliation: {
      differences: ({ owner, day }) =>
        log.error({ account: owner.account, day }, "a day's books differ from the acquirer's"),
    },
    cardSearch: {
      found: (places) => log.error({ places }, "card data search: card data outside the vault"),
    },
    deliveries: {
      workFailed: failed,
      endpointDisabled: (endpoint, reason) => log.warn({ endpoint, reason }, "endpoint disabled"),
    },
    mail: {
      notSent: (mail, reason, next) =>
        next
          ? log.warn({ mail, reason, next }, "mail not sent")
          : log.error({ mail, reason }, "mail given up"),
    },
  };
}
