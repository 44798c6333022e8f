import type {
  ConnectionHealth as ConnectionHealthObject,
  Connection as ConnectionObject,
  ConnectionReports,
  ConnectionResponses,
} from "@florin/contract/operator-connections.ts";
import type { Connection } from "../../acquiring/connections/connection.ts";
import type {
  ConnectionHealth,
  ConnectionResponse,
} from "../../acquiring/connections/connection-activity.ts";
import type { ReceivedReport } from "../../acquiring/connections/received-report.sql.ts";
import { connectors } from "../../acquiring/connectors.ts";
import { unixSeconds } from "../../core/clock.ts";
import { createdAt } from "../../core/ids.ts";
import { acquirerNotificationPath } from "../../payments/notifications/receive-notifications.routes.ts";

/** Returns the connection for the admin console, without its secrets or parts of them. */
export function connectionObject(connection: Connection, publicUrl: string): ConnectionObject {
  const { settings, secrets, test, notification, certification } = connection;
  return {
    id: connection.id,
    object: "connection",
    processor: connection.processor,
    name: connection.name,
    environment: connection.environment,
    state: connection.state,
    settings: { merchant_account: settings.merchantAccount, live_prefix: settings.livePrefix },
    public_key: connection.publicKey,
    gateway_wallets: [...connectors[connection.processor].gateway.walletsOf(connection)],
    requests_per_second: connection.requestsPerSecond,
    webhook_url: `${publicUrl}${acquirerNotificationPath(connection.endpointKey)}`,
    secrets: {
      version: secrets.version,
      configured_at: secondsOrNull(secrets.configuredAt),
      previous_until: secondsOrNull(secrets.previousUntil),
    },
    test: {
      passed_at: secondsOrNull(test.passedAt),
      secrets_version: test.secretsVersion,
      problem: test.problem,
    },
    notification: notification && {
      seen_at: unixSeconds(notification.seenAt),
      secrets_version: notification.secretsVersion,
    },
    suspended_reason: connection.state === "suspended" ? connection.suspendedReason : null,
    certification: certification && {
      certified_at: unixSeconds(certification.certifiedAt),
      connector: certification.connector,
      checks: certification.checks,
    },
    created: unixSeconds(createdAt(connection.id)),
    version: connection.version,
  };
}

export function connectionHealthObject(
  { state }: Connection,
  { circuit, outcomes, medianMs, p95Ms }: ConnectionHealth,
  responses: readonly ConnectionResponse[],
  notifications: ConnectionHealthObject["notifications"],
): ConnectionHealthObject {
  return {
    state,
    circuit: {
      is_open: circuit.isOpen,
      failures: circuit.failures,
      open_until: secondsOrNull(circuit.openUntil),
    },
    responses: {
      count: responses.length,
      outcomes,
      median_ms: medianMs === null ? null : Math.round(medianMs),
      p95_ms: p95Ms === null ? null : Math.round(p95Ms),
      last_at: responses[0] ? unixSeconds(responses[0].at) : null,
    },
    notifications,
  };
}

export function responsesObject(responses: readonly ConnectionResponse[]): ConnectionResponses {
  return {
    data: responses.map(({ at, operation, outcome, why, durationMs }) => ({
      at: unixSeconds(at),
      operation,
      outcome,
      why,
      duration_ms: Math.round(durationMs),
    })),
  };
}

function secondsOrNull(time: Date | null): number | null {
  return time && unixSeconds(time);
}

export function reportObject(report: ReceivedReport): ConnectionReports["data"][number] {
  return {
    merchant_account: report.merchantAccount,
    batch: report.batch,
    revision: report.revision,
    file_name: report.fileName,
    sha256: report.sha256,
    received_at: unixSeconds(report.receivedAt),
    applied_at: secondsOrNull(report.appliedAt),
    line_count: report.lineCount,
    posted_from: secondsOrNull(report.postedFrom),
    posted_until: secondsOrNull(report.postedUntil),
    problem: report.problem,
    sums: report.sums.map((sums) => ({
      currency: sums.currency,
      lines: sums.lines,
      transactions: sums.transactionsMinor,
      fees: sums.feesMinor,
      other: sums.otherMinor,
      unknown: sums.unknownMinor,
      unknown_lines: sums.unknownLines,
      paid_out: sums.paidOutMinor,
    })),
    warning: report.warning,
    failure: report.failure && {
      attempts: report.failure.attempts,
      problem: report.failure.problem,
      retry_at: unixSeconds(report.failure.retryAt),
    },
    unmatched_lines: report.unmatchedLines,
    unmatched: [...report.unmatched],
  };
}
