import { accountProfileRoutes } from "../admin/account-settings/account-profile.routes.ts";
import { accountSettingsRoutes } from "../admin/account-settings/account-settings.routes.ts";
import { settingsCopyRoutes } from "../admin/settings-copy/settings-copy.routes.ts";
import { applicationRoutes } from "../admin/underwriting/application.routes.ts";
import { attachRoutes } from "../cards/customers/attach.routes.ts";
import { customerRoutes } from "../cards/customers/customer.routes.ts";
import { paymentMethodRoutes } from "../cards/payment-methods/payment-method.routes.ts";
import { accountRoutes } from "../identity/accounts/account.routes.ts";
import { apiKeyRoutes } from "../identity/api-keys/api-key.routes.ts";
import type { TeamModule } from "../identity/team/team-module.ts";
import { approvalRoutes } from "../insights/metrics/approval.routes.ts";
import { metricsRoutes } from "../insights/metrics/metrics.routes.ts";
import { notificationRoutes } from "../insights/notifications/notification.routes.ts";
import { requestLogRoutes } from "../insights/request-log/request-log.routes.ts";
import { savedViewRoutes } from "../insights/saved-views/saved-view.routes.ts";
import { searchRoutes } from "../insights/search/search.routes.ts";
import { timelineRoutes } from "../insights/timeline/timeline.routes.ts";
import { balanceRoutes } from "../payments/balance/balance.routes.ts";
import { chargeRoutes } from "../payments/charges/charge.routes.ts";
import { ruleTrialRoutes } from "../payments/charges/rule-trial.routes.ts";
import { checkoutSessionRoutes } from "../payments/checkout/checkout-session.routes.ts";
import { disputeRoutes } from "../payments/disputes/dispute.routes.ts";
import { disputeFileRoutes } from "../payments/disputes/dispute-file.routes.ts";
import { evidenceDraftRoutes } from "../payments/disputes/evidence-draft.routes.ts";
import { testDisputeRoutes } from "../payments/disputes/test-dispute.routes.ts";
import { holdRoutes } from "../payments/operations/hold.routes.ts";
import { paymentReviewRoutes } from "../payments/operations/payment-review.routes.ts";
import { refundRoutes } from "../payments/operations/refund.routes.ts";
import { testRefundRoutes } from "../payments/operations/test-refund.routes.ts";
import { payoutRoutes } from "../payments/payouts/payout.routes.ts";
import { receiptRoutes } from "../payments/receipts/receipt.routes.ts";
import { testClockRoutes } from "../payments/test-clock/test-clock.routes.ts";
import { auditRoutes } from "../platform/audit/audit.routes.ts";
import type { Route } from "../platform/http/route.ts";
import { reconciliationRoutes } from "../reconciliation/reconciliation.routes.ts";
import { decisionRoutes } from "../risk/decision.routes.ts";
import { listEntryRoutes } from "../risk/list-entry.routes.ts";
import { ruleRoutes } from "../risk/rule.routes.ts";
import { deliveryRoutes } from "../webhooks/delivery/delivery.routes.ts";
import { endpointRoutes } from "../webhooks/delivery/endpoint.routes.ts";
import { eventRoutes } from "../webhooks/events/event.routes.ts";
import type { Deps } from "./deps.ts";
import type { Parts } from "./parts.ts";

/** Returns the routes of the whole public API in the order of the reference. */
export function routesOf(parts: Parts, deps: Deps, team: TeamModule): Route[] {
  const { database, clock, idempotencyKeys, keys, vault, accounts, paymentMethods } = parts;
  const { riskEngine, ruleSets } = parts.riskServices;
  const { hashKey, keyEncryption } = parts.secrets;
  const { acquirers, testNetwork } = parts.acquiring;
  const { isConnected } = acquirers;

  return [
    ...checkoutSessionRoutes(deps.sessions),
    ...chargeRoutes(deps.charges),
    ...holdRoutes(deps.operations, deps.charges),
    ...refundRoutes(deps.operations),
    ...receiptRoutes({ ...deps.receipts, idempotencyKeys }),
    ...paymentMethodRoutes({ database, vault, clock, idempotencyKeys }),
    ...customerRoutes({ database, vault, clock, idempotencyKeys }),
    ...attachRoutes({ database, vault, clock, idempotencyKeys }),
    ...ruleRoutes({ database, clock, idempotencyKeys, ruleSets }),
    ...listEntryRoutes({ database, clock, idempotencyKeys, ruleSets }),
    ...ruleTrialRoutes(database),
    ...paymentReviewRoutes(deps.operations),
    ...testRefundRoutes(deps.operations, testNetwork.acquirer),
    ...disputeRoutes(deps.disputes),
    ...evidenceDraftRoutes(deps.disputes),
    ...disputeFileRoutes(deps.disputes),
    ...testDisputeRoutes(deps.disputes, testNetwork.acquirer),
    ...decisionRoutes({
      database,
      clock,
      idempotencyKeys,
      riskEngine,
      paymentMethods,
      accounts,
      acquirers,
    }),
    ...metricsRoutes({ database, clock }),
    ...approvalRoutes({ database, clock }),
    ...searchRoutes({ database }),
    ...timelineRoutes({ database }),
    ...notificationRoutes({ database, clock, idempotencyKeys }),
    ...savedViewRoutes({ database, clock, idempotencyKeys }),
    ...eventRoutes({ database, clock }),
    ...endpointRoutes(deps.webhooks),
    ...deliveryRoutes(deps.webhooks),
    ...balanceRoutes({ database, clock }),
    ...payoutRoutes(deps.operations, testNetwork.acquirer),
    ...reconciliationRoutes({
      database,
      clock,
      idempotencyKeys,
      settlementsOf: acquirers.settlementsOf,
    }),
    ...testClockRoutes(deps.operations),
    ...accountRoutes({ database, isConnected }),
    ...accountSettingsRoutes(deps.underwriting),
    ...accountProfileRoutes(deps.underwriting),
    ...applicationRoutes(deps.underwriting),
    ...team.routes,
    ...auditRoutes({ database }),
    ...requestLogRoutes({ database, clock }),
    ...settingsCopyRoutes({ database, clock, idempotencyKeys, keys, ruleSets }),
    ...apiKeyRoutes({
      database,
      clock,
      idempotencyKeys,
      accounts,
      hashKey,
      keyEncryption,
      changes: parts.changes,
    }),
  ];
}
