import { recordFirstNotification } from "../acquiring/connections/change-connection.ts";
import type { UnderwritingDeps } from "../admin/underwriting/underwriting-deps.ts";
import { systemTimers } from "../core/timers.ts";
import { createRecordedOutcomes } from "../payments/charges/recorded-outcomes.ts";
import type { SessionDeps } from "../payments/checkout/session-deps.ts";
import type { DisputeDeps } from "../payments/disputes/record-dispute.ts";
import { applyChargeNotification } from "../payments/inquiries/inquire-charge.ts";
import type { NotificationJobDeps } from "../payments/notifications/notification-job-deps.ts";
import type { ReceiveDeps } from "../payments/notifications/receive-notifications.routes.ts";
import type { OperationDeps } from "../payments/operations/operation-deps.ts";
import type { ReceiptDeps } from "../payments/receipts/receipt.jobs.ts";
import type { SettlementDeps } from "../payments/settlements/settlement.jobs.ts";
import { defaultAuthenticationTiming } from "../payments/three-d-secure/deadlines.ts";
import type { AuthenticationDeps } from "../payments/three-d-secure/three-d-secure-deps.ts";
import { alone } from "../platform/processes/siblings.ts";
import type { WebhookRouteDeps } from "../webhooks/delivery/endpoint-request.ts";
import type { AppOptions } from "./options.ts";
import type { Parts } from "./parts.ts";

/** The dependencies of each larger module, in the type that the module declares. */
export type Deps = {
  readonly charges: AuthenticationDeps;
  readonly operations: OperationDeps;
  readonly notifications: NotificationDeps;
  readonly disputes: DisputeDeps;
  readonly sessions: SessionDeps;
  readonly receipts: ReceiptDeps;
  readonly underwriting: UnderwritingDeps;
  readonly webhooks: WebhookRouteDeps;
};

/** The dependencies for receiving notifications from live acquirers. */
type NotificationDeps = NotificationJobDeps & ReceiveDeps & SettlementDeps;

export function depsOf(parts: Parts, options: AppOptions): Deps {
  const { database, clock, keys, idempotencyKeys, accounts, acquiring, commits, reads, log } =
    parts;
  const { clientSecrets } = parts.secrets;
  const wakeDeliveries = () => parts.deliveries.wake();

  const charges: AuthenticationDeps = {
    database,
    clock,
    random: options.random,
    processNumber: parts.process.get,
    idempotencyKeys,
    commits,
    reads,
    recordedOutcomes: createRecordedOutcomes(),
    acquirers: acquiring.acquirers,
    accounts,
    paymentMethods: parts.paymentMethods,
    riskEngine: parts.riskServices.riskEngine,
    cardLimits: options.rateLimit !== null,
    threeDSecure: {
      database,
      clock,
      timing: { ...defaultAuthenticationTiming, ...options.threeDSecure },
      serverFor: acquiring.serverFor,
      callbackUrls: acquiring.callbackUrls,
      issuerOrigins: acquiring.issuerOrigins,
    },
    links: { baseUrl: options.publicUrl, clientSecrets },
    returnUrlOf: (scope, id) => acquiring.callbackUrls.addressesOf(scope, id).return,
    log: log.charges,
  };
  const operations: OperationDeps = {
    ...charges,
    wakeDeliveries,
    log: log.operations,
  };
  acquiring.lateOutcomes.receive = ({ account, reference }, response) => {
    applyChargeNotification(charges, { account, livemode: true, reference, response }).catch(
      (error) => log.charges.inquiryFailed(reference, error),
    );
  };
  const disputes: DisputeDeps = { ...operations, keys, log: log.disputes };
  const { directory } = parts.connections;
  const notifications: NotificationDeps = {
    database,
    clock,
    directory,
    wakeDeliveries,
    timers: systemTimers,
    origins: options.acquirerOrigins ?? {},
    stored: parts.notifications,
    charges,
    operations,
    disputes,
    onVerified: (connection) => {
      recordFirstNotification({ database, clock }, connection).catch((error) =>
        log.failed(`first notification of ${connection.id}`, error),
      );
    },
    log: { ...log.notifications, ...log.settlements },
  };
  const underwriting: UnderwritingDeps = {
    database,
    clock,
    keys,
    idempotencyKeys,
    isConnected: acquiring.acquirers.isConnected,
    wakeDeliveries,
  };
  return {
    charges,
    operations,
    notifications,
    disputes,
    sessions: {
      charges,
      accounts,
      commits,
      vault: parts.vault,
      wallets: parts.wallets,
      clientSecrets,
      siblings: options.siblings ?? alone,
      environment: parts.connections.environment,
      walletsUrl: options.walletsUrl ?? null,
    },
    // With a mail server, receipts of test mode are sent only to the team, so that test data causes no mail to
    // other people.
    receipts: {
      database,
      clock,
      accounts,
      testRecipients: options.sendMail ? "team" : "anyone",
    },
    underwriting,
    webhooks: { ...underwriting, privateNetworks: options.privateWebhooks },
  };
}
