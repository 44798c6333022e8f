import { accountSettingsRoutes } from "../account-settings/account-settings.routes.ts";
import { accountRoutes } from "../accounts/account.routes.ts";
import type { Team } from "../accounts/open-team.ts";
import { apiKeyRoutes } from "../api-keys/api-key.routes.ts";
import { auditRoutes } from "../audit/audit.routes.ts";
import { balanceRoutes } from "../balance/balance.routes.ts";
import { chargeRoutes } from "../charges/charge.routes.ts";
import { holdRoutes } from "../charges/hold.routes.ts";
import { processorOf } from "../charges/prepare-charge.ts";
import { reviewRoutes } from "../charges/review.routes.ts";
import { ruleTrialRoutes } from "../charges/rule-trial.routes.ts";
import { checkoutSessionRoutes } from "../checkout-sessions/checkout-session.routes.ts";
import { attachRoutes } from "../customers/attach.routes.ts";
import { customerRoutes } from "../customers/customer.routes.ts";
import { decisionRoutes } from "../decisions/decision.routes.ts";
import { listEntryRoutes } from "../decisions/list-entry.routes.ts";
import { ruleRoutes } from "../decisions/rule.routes.ts";
import { disputeRoutes } from "../disputes/dispute.routes.ts";
import { testDisputeRoutes } from "../disputes/test-dispute.routes.ts";
import { eventRoutes } from "../events/event.routes.ts";
import type { Route } from "../http/route.ts";
import { metricsRoutes } from "../metrics/metrics.routes.ts";
import { paymentMethodRoutes } from "../payment-methods/payment-method.routes.ts";
import { payoutRoutes } from "../payouts/payout.routes.ts";
import { reconciliationRoutes } from "../reconciliation/reconciliation.routes.ts";
import { refundRoutes } from "../refunds/refund.routes.ts";
import { testRefundRoutes } from "../refunds/test-refund.routes.ts";
import { requestLogRoutes } from "../request-log/request-log.routes.ts";
import { savedViewRoutes } from "../saved-views/saved-view.routes.ts";
import { settingsCopyRoutes } from "../settings-copy/settings-copy.routes.ts";
import { testClockRoutes } from "../test-clock/test-clock.routes.ts";
import { timelineRoutes } from "../timeline/timeline.routes.ts";
import { applicationRoutes } from "../underwriting/application.routes.ts";
import { deliveryRoutes } from "../webhooks/delivery.routes.ts";
import { endpointRoutes } from "../webhooks/endpoint.routes.ts";
import type { Deps } from "./deps.ts";
import type { Parts } from "./parts.ts";

/** Returns the whole public API in the order of the reference, each slice with its dependencies. */
export function routesOf(parts: Parts, deps: Deps, team: Team): Route[] {
  const { database, clock, idempotencyKeys, keys, vault, accounts, paymentMethods } = parts;
  const { judge, books } = parts.judging;
  const { hashKey, keySeal } = parts.secrets;
  const { simulator, processorFor, isConnected } = parts.cardWorld;

  return [
    ...checkoutSessionRoutes(deps.sessions),
    ...chargeRoutes(deps.charges),
    ...holdRoutes(deps.operations, deps.charges),
    ...refundRoutes(deps.operations),
    ...paymentMethodRoutes({ database, vault, clock, idempotencyKeys }),
    ...customerRoutes({ database, vault, clock, idempotencyKeys }),
    ...attachRoutes({ database, vault, clock, idempotencyKeys }),
    ...ruleRoutes({ database, clock, idempotencyKeys, books }),
    ...listEntryRoutes({ database, clock, idempotencyKeys, books }),
    ...ruleTrialRoutes(database),
    ...reviewRoutes(deps.operations),
    ...testRefundRoutes(deps.operations, simulator),
    ...disputeRoutes(deps.disputes),
    ...testDisputeRoutes(deps.disputes, simulator),
    ...decisionRoutes({
      database,
      clock,
      idempotencyKeys,
      judge,
      paymentMethods,
      processorFor: (owner, price) => processorOf(deps.charges, owner, price),
    }),
    ...metricsRoutes({ database, clock }),
    ...timelineRoutes({ database }),
    ...savedViewRoutes({ database, clock, idempotencyKeys }),
    ...eventRoutes({ database, clock }),
    ...endpointRoutes(deps.webhooks),
    ...deliveryRoutes(deps.webhooks),
    ...balanceRoutes({ database, clock }),
    ...payoutRoutes(deps.operations, simulator),
    ...reconciliationRoutes({ database, clock, idempotencyKeys, settlementsOf: processorFor }),
    ...testClockRoutes(deps.operations),
    ...accountRoutes({ database, isConnected }),
    ...accountSettingsRoutes(deps.underwriting),
    ...applicationRoutes(deps.underwriting),
    ...team.routes,
    ...auditRoutes({ database }),
    ...requestLogRoutes({ database, clock }),
    ...settingsCopyRoutes({ database, clock, idempotencyKeys, keys, books }),
    ...apiKeyRoutes({
      database,
      clock,
      idempotencyKeys,
      accounts,
      hashKey,
      keySeal,
      onChange: parts.authenticate.forget,
    }),
  ];
}
